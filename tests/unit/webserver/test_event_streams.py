"""Streams and long polls in a real web server: woken from the commit, resumable, ended when they have to be."""

import json
import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import text
from sqlalchemy.orm import Session

from service.ids import new_id
from tests.support.http_games import Game, SignUp, start
from tests.support.metrics import told
from tests.support.running import eventually
from tests.support.web import Person
from tests.unit.webserver.web_server import PATIENCE, Server, serve

pytestmark = pytest.mark.xdist_group("web server")


@pytest.fixture
def game(client: FlaskClient, sign_up: SignUp, session: Session) -> Game:
    """Return a game of two people who have no other and no streams."""
    game = start(client, *(sign_up(name, f"{new_id()}@example.org") for name in ("Ann", "Ben")))
    session.execute(text("SELECT place_events()"))
    session.commit()
    return game


@pytest.fixture
def own_server(database_url: str, tmp_path: Path) -> Iterator[Server]:
    """Yield a server for a test that ends its process."""
    yield from serve(tmp_path, database_url, app="tests.unit.webserver.impatient_app:app")


@pytest.fixture(scope="module")
def server(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("served")
    yield from serve(folder, database_url, app="tests.unit.webserver.impatient_app:app")


class Stream:
    """A stream of events, read message by message."""

    def __init__(self, server: Server, path: str, reader: Person | None = None, last: str | None = None) -> None:
        headers = {"Accept": "text/event-stream"} | ({} if reader is None else reader.headers)
        if last is not None:
            headers["Last-Event-ID"] = last
        self._connection = HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        self._connection.request("GET", path, headers=headers)
        self.response: HTTPResponse = self._connection.getresponse()
        self.last = last

    def message(self) -> dict[str, str] | None:
        """Return the fields of the next block; None at the end of the stream."""
        fields: dict[str, str] = {}
        while line := self.response.readline().decode():
            if line == "\n":
                self.last = fields.get("id", self.last)
                return fields
            name, _, value = line.rstrip("\n").partition(": ")
            fields[name] = value
        return None

    def event(self) -> Any:
        """Return the next event, past heartbeats; None at the end of the stream."""
        while (fields := self.message()) is not None:
            if "data" in fields:
                assert fields.get("event", "message") == "message"
                return json.loads(fields["data"])
        return None

    def close(self) -> None:
        self.response.close()
        self._connection.close()


def move(server: Server, game: Game) -> int:
    """Make a move over the server, and return the version that it made."""
    person, body = game.to_move(), game.first()
    status, view = server.ask("POST", f"{game.path}/moves", body, **person.headers)
    assert status == 201
    version: int = view["version"]
    return version


@pytest.mark.slow
def test_a_turn_is_mailed_although_its_player_has_a_stream_open(server: Server, game: Game, session: Session) -> None:
    waits = text(
        "SELECT count(*) FROM procrastinate_jobs WHERE task_name = 'mail_turn' AND args ->> 'game' = :game"
        " AND (args ->> 'wait')::int = :wait"
    )
    with closing(Stream(server, "/v1/events", game.players[0])), closing(Stream(server, "/v1/events", game.players[1])):
        mover = game.to_move()
        version = move(server, game)
        while game.to_move() == mover:
            version = move(server, game)
    assert session.scalar(waits, {"game": game.id, "wait": version}) == 1


@pytest.mark.slow
def test_a_stream_brings_each_move_and_goes_on_where_it_broke_off(server: Server, game: Game) -> None:
    ann, ben = game.players
    with closing(Stream(server, "/v1/events", ann)) as stream:
        assert stream.response.headers["Content-Type"].startswith("text/event-stream")
        assert stream.response.headers["Cache-Control"] == "no-store"
        assert stream.response.headers["X-Accel-Buffering"] == "no"
        first = stream.message()
        assert first is not None and set(first) == {"retry", "id"}
        for _ in range(3):
            version = move(server, game)
            event = stream.event()
            assert (event["kind"], event["version"], event["id"]) == ("move", version, stream.last)
    missed = [move(server, game), move(server, game)]
    with closing(Stream(server, "/v1/events", ann, stream.last)) as stream:
        assert [stream.event()["number"] for _ in missed] == missed
        assert move(server, game) == stream.event()["number"]
    assert server.ask("GET", f"/v1/events?after={stream.last}", **ben.headers)[1]["items"] == []


@pytest.mark.slow
def test_spectators_streams_of_a_game_bring_no_changes(server: Server, game: Game) -> None:
    with closing(Stream(server, f"{game.path}/events")) as stream:
        stream.message()
        server.ask("PATCH", "/v1/me", {"name": "Anna"}, **game.players[0].headers)
        version = move(server, game)
        event = stream.event()
        assert (event["kind"], event["number"], event["you"]) == ("move", version, None)


def test_a_long_poll_is_answered_by_the_first_event(server: Server, game: Game) -> None:
    ann = game.players[0]
    after = server.ask("GET", "/v1/events", **ann.headers)[1]["after"]
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(server.ask, "GET", f"/v1/events?after={after}&wait=50", **ann.headers)
        version = move(server, game)
        status, body = asked.result(PATIENCE)
    assert (status, [event["number"] for event in body["items"]]) == (200, [version])
    status, body = server.ask("GET", f"/v1/events?after={body['after']}&wait=1", **ann.headers)
    assert (status, body["items"], body["more"]) == (200, [], False)


def test_more_streams_than_there_are_places_hold_nobody_up(server: Server, game: Game) -> None:
    streams = [Stream(server, "/v1/events", game.players[0]) for _ in range(20)]
    assert all(stream.response.status == 200 for stream in streams)
    refused = Stream(server, "/v1/events", game.players[0])
    assert (refused.response.status, refused.response.headers["Retry-After"]) == (429, "5")
    assert server.serves()
    streams.pop().close()
    with closing(Stream(server, "/v1/events", game.players[0])) as stream:  # who is gone does not count
        assert stream.response.status == 200
        version = move(server, game)
        assert [each.event()["number"] for each in (*streams, stream)] == [version] * 20
    for each in (*streams, refused):
        each.close()


@pytest.mark.slow
def test_two_servers_limit_the_streams_of_an_account_together(
    server: Server, game: Game, database_url: str, tmp_path: Path
) -> None:
    (tmp_path / "second").mkdir()
    ann = game.players[0]
    with contextmanager(serve)(tmp_path / "second", database_url) as second:
        streams = [Stream(each, "/v1/events", ann) for each in (server, second) for _ in range(10)]
        assert all(stream.response.status == 200 for stream in streams)
        for each in (server, second):
            status, problem = each.ask("GET", "/v1/events", Accept="text/event-stream", **ann.headers)
            assert (status, problem["code"]) == (429, "too_many_streams")
        eventually(lambda: "novaluna_open_streams 20.0\n" in told(second.metrics))  # and none of other tests
        streams.pop(0).close()

        def has_room() -> bool:
            streams.append(Stream(second, "/v1/events", ann))
            return streams[-1].response.status == 200

        eventually(has_room)
        for stream in streams:
            stream.close()


def test_a_stream_ends_soon_after_its_token_was_deleted(server: Server, game: Game, session: Session) -> None:
    with closing(Stream(server, "/v1/events", game.players[0])) as stream:
        stream.message()
        session.execute(text("DELETE FROM tokens WHERE account = :ann"), {"ann": game.players[0].account})
        session.commit()
        assert stream.event() is None


def test_a_stream_survives_the_loss_of_its_database_connection(server: Server, game: Game, session: Session) -> None:
    end = text(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'novaluna events'"
        " AND datname = current_database()"
    )

    def is_cut() -> bool:
        session.rollback()  # a transaction sees the same back ends as long as it lasts
        return bool(session.execute(end).all())

    with closing(Stream(server, "/v1/events", game.players[0])) as stream:
        stream.message()
        for _ in range(3):
            eventually(is_cut, PATIENCE)
            session.commit()
            version = move(server, game)
            assert stream.event()["number"] == version


def test_a_cursor_that_is_no_longer_valid_is_reset(server: Server, game: Game) -> None:
    with closing(Stream(server, "/v1/events", game.players[0], "00000000-1")) as stream:
        reset = stream.message()
        assert reset is not None and reset["event"] == "reset"
        assert json.loads(reset["data"]) == {"id": reset["id"]}
        assert move(server, game) == stream.event()["number"]


def test_idle_streams_move_their_cursor_on(server: Server, game: Game, sign_up: SignUp) -> None:
    with closing(Stream(server, "/v1/events", sign_up("Eve"))) as stream:
        first = stream.message()
        move(server, game)
        assert first is not None
        eventually(lambda: stream.message() and stream.last != first["id"], PATIENCE)


@pytest.mark.slow
def test_a_server_that_ends_ends_its_streams_and_long_polls_at_once(own_server: Server, game: Game) -> None:
    with closing(Stream(own_server, "/v1/events", game.players[0])) as stream, ThreadPoolExecutor(1) as pool:
        asked = pool.submit(own_server.ask, "GET", "/v1/events?wait=50", **game.players[1].headers)
        eventually(lambda: own_server.log.read_text().count('"/v1/events"') == 2, PATIENCE)  # both wait
        (process,) = own_server.processes()
        os.kill(process, signal.SIGTERM)
        assert stream.event() is None
        status, body = asked.result(PATIENCE)
        assert (status, body["items"]) == (200, [])
