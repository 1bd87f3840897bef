"""The records of all games of a player in one response: what is in it, who gets it, and how it is resumed."""

import csv
import gzip
import json
from collections.abc import Callable, Iterator
from io import StringIO
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text

from engine import audit
from service.api import downloads, export_stream
from service.api import exports as exports_api
from service.api.context import context_of
from service.api.export_forms import MOVES, RECORDS
from service.queries import exports
from service.store.unit import transaction
from tests.support.clock import Clock
from tests.support.http_games import Game, SignUp, play_out, start, start_solo
from tests.support.web import Person

OWN = "/v1/me/games.ndjson"


@pytest.fixture
def games(client: FlaskClient, ann: Person, ben: Person) -> list[Game]:
    """Return a finished game, a running solo, a running game, and a private one with a bot, in their order."""
    finished = start(client, ann, ben, discs=5)
    solo = start_solo(client, ann)
    running = start(client, ann, ben, clock="week")
    private = client.post("/v1/games", json={"seats": 2, "bots": 1, "visibility": "private"}, headers=ann.headers)
    client.post("/v1/games", json={"seats": 2}, headers=ann.headers)  # it has not started, so it has no record
    play_out(finished)
    running.move()
    solo.move()
    return [finished, solo, running, Game(private.headers["Location"], (ann,), client)]


def read(client: FlaskClient, path: str, person: Person | None, **headers: str) -> list[bytes]:
    answer = client.get(path, headers={**(person.headers if person else {}), **headers}, buffered=True)
    assert (answer.status_code, answer.content_type) == (200, "application/x-ndjson"), answer.text
    found: list[bytes] = answer.data.splitlines(keepends=True)
    return found


def ids(lines: list[bytes]) -> list[str]:
    """Return the ids of the games in complete lines, after checking the last one."""
    *records, last = map(json.loads, lines)
    told = {"format": "nova-luna-export/1", "complete": True, "records": len(records), "unreadable": 0}
    assert last == told
    return [record["game"]["id"] for record in records]


def test_the_lines_are_the_records_of_ones_started_games(client: FlaskClient, ann: Person, games: list[Game]) -> None:
    *lines, _ = read(client, OWN, ann)
    assert lines == [game.get("/record").data for game in games]
    for line in lines:
        audit.check(line)


def test_only_running_or_only_finished_games_can_be_had(client: FlaskClient, ann: Person, games: list[Game]) -> None:
    assert ids(read(client, f"{OWN}?status=finished", ann)) == [games[0].id]
    assert ids(read(client, f"{OWN}?status=running", ann)) == [game.id for game in games[1:]]


def test_others_get_the_games_that_they_may_see(
    client: FlaskClient, ann: Person, ben: Person, games: list[Game], sign_up: SignUp
) -> None:
    path = f"/v1/players/{ann.account}/games.ndjson"
    shared = [games[0].id, games[2].id]
    assert ids(read(client, path, None)) == ids(read(client, path, ben)) == shared
    assert ids(read(client, path, ann)) == [*shared, games[3].id]
    assert ids(read(client, f"/v1/players/{sign_up('Eve').account}/games.ndjson", None)) == []
    assert client.get("/v1/players/abcdefgh2345/games.ndjson").get_json()["code"] == "unknown_player"
    assert client.get(OWN).status_code == 401
    assert client.get(path, headers={"Authorization": "Bearer wrong"}).status_code == 401


def test_a_download_is_resumed_after_each_of_its_lines(
    client: FlaskClient, ann: Person, games: list[Game], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports_api, "RECORDS", RECORDS._replace(page=2))
    whole = read(client, OWN, ann)
    for number, game in enumerate(games, start=1):
        rest = read(client, f"{OWN}?after={game.id}", ann)
        assert rest[:-1] == whole[number:-1]
        assert len(ids(rest)) == len(games) - number


@pytest.mark.parametrize(("after", "detail"), [("abcdefgh2345", "in this list"), ("x", "id of a game"), ("", "id of")])
def test_an_unfit_place_to_resume_at_is_refused(client: FlaskClient, ann: Person, after: str, detail: str) -> None:
    refused = client.get(f"{OWN}?after={after}", headers=ann.headers).get_json()
    assert refused["code"] == "wrong_fields" and refused["errors"][0]["field"] == "after"
    assert detail in refused["errors"][0]["detail"]


def test_a_game_of_others_is_no_place_to_resume_at(client: FlaskClient, games: list[Game], sign_up: SignUp) -> None:
    refused = client.get(f"{OWN}?after={games[0].id}", headers=sign_up("Eve").headers)
    assert refused.status_code == 422


def test_a_hidden_game_is_no_place_to_resume_at(
    client: FlaskClient, ann: Person, games: list[Game], sign_up: SignUp
) -> None:
    """Else, `after` would tell at whose private game somebody plays, and whose a solo is."""
    _, solo, _, private = games

    def answered(after: str, reader: Person | None) -> tuple[int, Any]:
        headers = reader.headers if reader else {}
        found = client.get(f"/v1/players/{ann.account}/games.ndjson?after={after}", headers=headers)
        return found.status_code, found.get_json(silent=True)

    unknown = answered("abcdefgh2345", None)
    assert unknown[0] == 422
    for reader in (None, sign_up("Eve")):
        assert answered(private.id, reader) == answered(solo.id, reader) == unknown
    assert answered(private.id, ann)[0] == 200
    assert answered(solo.id, ann) == unknown


def test_gzip_gives_the_same_lines(client: FlaskClient, ann: Person, games: list[Game]) -> None:
    answer = client.get(OWN, headers=ann.headers | {"Accept-Encoding": "gzip"}, buffered=True)
    assert (answer.headers["Content-Encoding"], answer.headers["Vary"]) == ("gzip", "Accept-Encoding, Authorization")
    assert gzip.decompress(answer.data).splitlines(keepends=True) == read(client, OWN, ann)


def test_head_has_the_headers_and_leaves_no_stream(
    app: Flask, client: FlaskClient, ann: Person, games: list[Game]
) -> None:
    answer = client.head(OWN, headers=ann.headers)
    assert (answer.status_code, answer.content_type, answer.data) == (200, "application/x-ndjson", b"")
    assert context_of(app).downloads.number == 0


@pytest.fixture
def opened(client: FlaskClient) -> Iterator[Callable[[Person], Any]]:
    """Yield a function that begins a download without reading it."""
    answers = []

    def begin(person: Person) -> Any:
        answers.append(client.get(OWN, headers=person.headers, buffered=False))
        return answers[-1]

    yield begin
    for answer in answers:
        answer.close()


def test_a_caller_has_two_downloads_at_once(
    app: Flask, client: FlaskClient, ann: Person, ben: Person, games: list[Game], opened: Callable[[Person], Any]
) -> None:
    first, second = opened(ann), opened(ann)
    refused = client.get(OWN, headers=ann.headers)
    assert (refused.status_code, refused.get_json()["code"]) == (429, "too_many_downloads")
    assert refused.headers["Retry-After"] == "10"
    assert read(client, OWN, ben)
    first.close()
    assert ids(read(client, OWN, ann))
    second.close()
    second.close()
    assert context_of(app).downloads.number == 0


def test_all_callers_together_have_a_limit(
    client: FlaskClient, ann: Person, ben: Person, opened: Callable[[Person], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(downloads, "AT_ONCE", 1)
    opened(ann)
    assert client.get(OWN, headers=ben.headers).status_code == 429


def test_a_stream_ends_incomplete_once_its_token_is_revoked(
    app: Flask, client: FlaskClient, ann: Person, games: list[Game], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports_api, "RECORDS", RECORDS._replace(page=1))
    answer = client.get(OWN, headers=ann.headers, buffered=False)
    parts = answer.iter_encoded()
    first = next(parts)
    with app.app_context(), transaction() as session:
        session.execute(text("DELETE FROM tokens"))
    rest = b"".join(parts)
    answer.close()
    assert json.loads(first)["game"]["id"] == games[0].id
    assert b"complete" not in rest


def test_a_stream_is_cut_off_after_its_time(
    client: FlaskClient, ann: Person, games: list[Game], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports_api, "RECORDS", RECORDS._replace(page=1))
    monkeypatch.setattr(export_stream, "LONGEST", 0)
    (only,) = read(client, OWN, ann)
    assert json.loads(only)["game"]["id"] == games[0].id


def test_games_beyond_a_window_are_read_too(
    client: FlaskClient, ann: Person, games: list[Game], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, player, kinds, readable in (
        ("_OWN", "caller.account", ("match", "solo"), "true"),
        ("_OF_PLAYER", "%(player)s", ("match",), "tables.visibility = 'public'"),
    ):
        monkeypatch.setattr(exports, "WINDOW", 1)
        monkeypatch.setattr(exports, name, exports._window(player, kinds, readable))
    assert ids(read(client, OWN, ann)) == [game.id for game in games]
    assert ids(read(client, f"/v1/players/{ann.account}/games.ndjson", None)) == [games[0].id, games[2].id]


def test_a_deleted_player_is_in_the_records_without_a_name(
    client: FlaskClient, clock: Clock, ann: Person, ben: Person, games: list[Game]
) -> None:
    client.delete("/v1/me", headers=ann.headers)
    line, *_ = read(client, OWN, ben)
    assert json.loads(line)["players"] == [{"name": None, "seat": 0}, {"name": "Ben", "seat": 1}]


def test_a_damaged_game_is_left_out_and_counted(
    app: Flask, client: FlaskClient, ann: Person, games: list[Game], monkeypatch: pytest.MonkeyPatch
) -> None:
    read_line = exports._line

    def damaged(header: str, *columns: Any) -> bytes:
        return read_line("{" if games[1].id in header else header, *columns)

    monkeypatch.setattr(exports, "_line", damaged)
    *lines, last = read(client, OWN, ann)
    assert [json.loads(line)["game"]["id"] for line in lines] == [games[0].id, games[2].id, games[3].id]
    assert (json.loads(last)["records"], json.loads(last)["unreadable"]) == (3, 1)


def rows(client: FlaskClient, path: str, person: Person | None) -> list[dict[str, str]]:
    """Return the lines of a CSV as dicts, after checking that they have CRLF and as many columns each."""
    answer = client.get(path, headers=person.headers if person else {}, buffered=True)
    assert (answer.status_code, answer.content_type) == (200, MOVES.content_type), answer.text
    assert answer.data.count(b"\n") == answer.data.count(b"\r\n") and answer.data.endswith(b"\r\n")
    head, *lines = csv.reader(StringIO(answer.text, newline=""), strict=True)
    return [dict(zip(head, line, strict=True)) for line in lines]


def test_the_moves_of_all_games_are_those_of_each(client: FlaskClient, ann: Person, games: list[Game]) -> None:
    *found, last = rows(client, "/v1/me/moves.csv", ann)
    assert (last["type"], last["seq"], last["game"]) == ("complete", str(len(games)), "")
    assert found == [row for game in games for row in rows(client, f"{game.path}/moves.csv", ann)]
    assert {row["game"] for row in found} == {game.id for game in games if game.view()["last_move"]}


def test_others_get_the_moves_that_they_may_see(
    client: FlaskClient, ann: Person, games: list[Game], sign_up: SignUp
) -> None:
    path = f"/v1/players/{ann.account}/moves.csv"
    *found, last = rows(client, path, None)
    assert {row["game"] for row in found} == {games[0].id, games[2].id} and last["seq"] == "2"
    assert rows(client, f"/v1/players/{sign_up('Eve').account}/moves.csv", None)[0]["seq"] == "0"
    assert client.get("/v1/players/abcdefgh2345/moves.csv").get_json()["code"] == "unknown_player"
    assert client.get("/v1/me/moves.csv").status_code == 401


def test_moves_can_be_had_after_a_game_and_by_status(client: FlaskClient, ann: Person, games: list[Game]) -> None:
    *rest, _ = rows(client, f"/v1/me/moves.csv?after={games[1].id}", ann)
    assert games[2].id in {row["game"] for row in rest} <= {games[2].id, games[3].id}
    *finished, _ = rows(client, "/v1/me/moves.csv?status=finished", ann)
    assert {row["game"] for row in finished} == {games[0].id}


def test_the_moves_of_a_damaged_game_are_left_out_and_counted(
    client: FlaskClient, ann: Person, games: list[Game], monkeypatch: pytest.MonkeyPatch
) -> None:
    read_line = exports._line

    def damaged(header: str, *columns: Any) -> bytes:
        line = read_line(header, *columns)
        return line.replace(b'"seat":0', b'"seat":1') if games[0].id.encode() in line else line

    monkeypatch.setattr(exports, "_line", damaged)
    *found, unreadable, last = rows(client, "/v1/me/moves.csv", ann)
    assert (unreadable["type"], unreadable["seq"], last["seq"]) == ("unreadable", "1", "3")
    assert games[0].id not in {row["game"] for row in found}
