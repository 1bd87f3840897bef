"""What happens at tables comes in order, once, to those who may see it, and a cursor goes on from anywhere."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import Engine, text
from sqlalchemy.orm import Session
from werkzeug.test import TestResponse

from service.store import epoch, events
from tests.support.clock import Clock
from tests.support.http_games import Game, SignUp, start
from tests.support.web import Person

Asked = Callable[..., Any]


@pytest.fixture
def asked(client: FlaskClient, session: Session) -> Asked:
    """Return a function that places what has happened and returns the body of a response with events."""

    def ask(reader: Person | None, path: str = "/v1/events", status: int = 200, **query: Any) -> Any:
        session.execute(text("SELECT place_events()"))
        session.commit()
        headers = {} if reader is None else reader.headers
        response = client.get(path, query_string=query, headers=headers)
        assert response.status_code == status, response.text
        return response.get_json()

    return ask


def kinds(body: Any) -> list[str]:
    return [event["kind"] for event in body["items"]]


def test_a_players_events_come_in_order_from_a_cursor(client: FlaskClient, sign_up: SignUp, asked: Asked) -> None:
    ann, ben = sign_up("Ann"), sign_up("Ben")
    begin = asked(ann)
    assert begin["items"] == []
    game = start(client, ann, ben)
    game.move()
    client.post(f"{game.path}/messages", json={"text": "Hello!"}, headers=ben.headers)
    found = asked(ann, after=begin["after"])
    assert kinds(found) == ["join", "join", "start", "move", "message"]
    view = client.get(game.path, headers=ann.headers)
    assert found["items"][-1] == {
        "id": found["after"],
        "kind": "message",
        "at": found["items"][-1]["at"],
        "game": game.id,
        "game_kind": "match",
        "number": found["items"][-1]["number"],
        "seat": 1,
        "status": "running",
        "version": 1,
        "etag": view.headers["ETag"],
        "turn": view.get_json()["turn"]["seat"],
        "you": 0,
        "your_turn": view.get_json()["turn"]["seat"] == 0,
    }
    assert [event["number"] for event in found["items"][2:4]] == [0, 1]
    assert asked(ann, after=found["after"])["items"] == []
    half = found["items"][1]["id"]
    assert kinds(asked(ann, after=half)) == ["start", "move", "message"]
    assert [event["you"] for event in asked(ben, after=half)["items"]] == [1, 1, 1]


def test_a_message_counts_as_a_revision(client: FlaskClient, sign_up: SignUp) -> None:
    game = start(client, sign_up("Ann"), sign_up("Ben"))
    tag = game.get().headers["ETag"]
    client.post(f"{game.path}/messages", json={"text": "Hello!"}, headers=game.players[1].headers)
    assert game.get().headers["ETag"] != tag


def test_messages_of_a_blocked_player_are_left_out(client: FlaskClient, sign_up: SignUp, asked: Asked) -> None:
    game = start(client, sign_up("Ann"), sign_up("Ben"))
    ann, ben = game.players
    begin = asked(ann)["after"]
    client.put(f"/v1/me/blocked/{ben.account}", headers=ann.headers)
    client.post(f"{game.path}/messages", json={"text": "Hello!"}, headers=ben.headers)
    game.move()
    for path in ("/v1/events", f"{game.path}/events"):
        assert kinds(asked(ann, path, after=begin)) == ["move"]
        assert kinds(asked(ben, path, after=begin)) == ["message", "move"]


def test_a_private_table_shows_its_events_to_its_players_alone(
    client: FlaskClient, sign_up: SignUp, asked: Asked
) -> None:
    ann, eve = sign_up("Ann"), sign_up("Eve")
    begin = asked(eve)["after"]
    table = client.post("/v1/games", json={"seats": 2, "visibility": "private"}, headers=ann.headers).get_json()
    assert asked(eve, after=begin)["items"] == []
    path = f"/v1/games/{table['id']}/events"
    assert kinds(asked(ann, path, after=begin)) == ["join"]
    asked(eve, path, 404, after=begin)
    asked(None, path, 404)


def test_spectators_get_messages_but_no_changes(client: FlaskClient, sign_up: SignUp, asked: Asked) -> None:
    begin = asked(sign_up("Eve"))["after"]
    game = start(client, sign_up("Ann"), sign_up("Ben"))
    client.post(f"{game.path}/messages", json={"text": "Hello!"}, headers=game.players[0].headers)
    client.patch("/v1/me", json={"name": "Bernd"}, headers=game.players[1].headers)
    game.move()
    path = f"{game.path}/events"
    assert kinds(asked(None, path, after=begin)) == ["join", "join", "start", "message", "move"]
    assert kinds(asked(game.players[1], path, after=begin)) == ["join", "join", "start", "message", "change", "move"]
    last = asked(None, path, after=begin)["items"][-1]
    assert (last["you"], last["your_turn"]) == (None, False)
    asked(None, f"/v1/solo-sessions/{game.id}/events", 404)


def test_a_player_who_leaves_a_table_gets_that_event_and_no_more(
    client: FlaskClient, sign_up: SignUp, asked: Asked
) -> None:
    ann, ben = sign_up("Ann"), sign_up("Ben")
    begin = asked(ann)["after"]
    game = Game(
        client.post("/v1/games", json={"seats": 3, "visibility": "public"}, headers=ann.headers).headers["Location"],
        (ann, ben),
        client,
    )
    client.post(f"{game.path}/players", headers=ben.headers)
    assert kinds(asked(ben, after=begin)) == ["join", "join"]
    assert client.delete(f"{game.path}/players/1", headers=ann.headers).status_code == 204
    client.post(f"{game.path}/messages", json={"text": "Hello?"}, headers=ann.headers)
    assert kinds(asked(ben, after=begin)) == ["leave"]
    assert kinds(asked(ann, after=begin)) == ["join", "join", "leave", "message"]
    client.delete(game.path, headers=ann.headers)
    assert kinds(asked(ann, after=begin))[-1] == "close"


def test_an_invitation_is_an_event_for_the_account_alone(client: FlaskClient, sign_up: SignUp, asked: Asked) -> None:
    ann, ben, eve = sign_up("Ann"), sign_up("Ben"), sign_up("Eve")
    begin = asked(ann)["after"]
    table = client.post("/v1/games", json={"seats": 2, "visibility": "private"}, headers=ann.headers).get_json()
    invited = client.post(
        f"/v1/games/{table['id']}/invitations", json={"email": ben.email}, headers=ann.headers
    ).get_json()
    assert kinds(asked(ben, after=begin)) == ["invitation"]
    assert kinds(asked(ann, after=begin)) == ["join"]
    assert kinds(asked(eve, after=begin)) == []
    path = f"/v1/games/{table['id']}/invitations/{invited['id']}"
    assert client.delete(path, headers=ann.headers).status_code == 204
    assert kinds(asked(ben, after=begin)) == ["invitation", "invitation"]


@pytest.mark.parametrize("is_started", [False, True])
def test_an_invitation_that_its_table_ends_is_an_event(
    client: FlaskClient, sign_up: SignUp, asked: Asked, is_started: bool
) -> None:
    ann, ben, cleo, eve = (sign_up(name) for name in ("Ann", "Ben", "Cleo", "Eve"))
    path = client.post("/v1/games", json={"seats": 2}, headers=ann.headers).headers["Location"]
    for whom in ({"email": ben.email}, {"player": cleo.account}):
        assert client.post(f"{path}/invitations", json=whom, headers=ann.headers).status_code == 201
    begin = asked(ann)["after"]
    if is_started:
        assert client.post(f"{path}/players", headers=eve.headers).status_code == 201
    else:
        assert client.delete(path, headers=ann.headers).status_code == 204
    for invited in (ben, cleo):
        assert kinds(asked(invited, after=begin)) == ["invitation"]
        assert client.get("/v1/me/invitations", headers=invited.headers).get_json()["items"] == []


def test_a_changed_name_is_a_change_of_each_table(client: FlaskClient, sign_up: SignUp, asked: Asked) -> None:
    game = start(client, sign_up("Ann"), sign_up("Ben"))
    begin = asked(game.players[0])["after"]
    client.patch("/v1/me", json={"name": "Bernd"}, headers=game.players[1].headers)
    found = asked(game.players[0], after=begin)["items"]
    assert [(event["kind"], event["etag"]) for event in found] == [("change", game.get().headers["ETag"])]


def test_the_end_of_a_game_is_an_event_after_its_last_entry(client: FlaskClient, sign_up: SignUp, asked: Asked) -> None:
    game = start(client, sign_up("Ann"), sign_up("Ben"))
    begin = asked(game.players[0])["after"]
    game.post(game.players[1], {"type": "resign"})
    found = asked(game.players[0], after=begin)["items"]
    assert [(event["kind"], event["number"], event["status"]) for event in found] == [
        ("move", 1, "finished"),
        ("end", 1, "finished"),
    ]


def test_many_missed_events_come_page_by_page(
    client: FlaskClient, sign_up: SignUp, asked: Asked, session: Session
) -> None:
    game = start(client, sign_up("Ann"), sign_up("Ben"))
    begin = asked(game.players[0])["after"]
    add = text("INSERT INTO new_events (game, kind) SELECT key, 'change' FROM tables, generate_series(1, 450)")
    session.execute(add)
    session.commit()
    for path in ("/v1/events", f"{game.path}/events"):
        pages: list[Any] = []
        cursor = begin
        while not pages or pages[-1]["more"]:
            pages.append(asked(game.players[0], path, after=cursor))
            cursor = pages[-1]["after"]
        ids = [event["id"] for page in pages for event in page["items"]]
        assert [len(page["items"]) for page in pages] == [200, 200, 50]
        assert len(set(ids)) == 450


def test_a_cursor_far_back_finds_the_same_events(
    client: FlaskClient, sign_up: SignUp, asked: Asked, session: Session
) -> None:
    ann = sign_up("Ann")
    begin = asked(ann)["after"]
    game = start(client, ann, sign_up("Ben"))
    near = asked(ann, after=begin)
    session.execute(text("INSERT INTO new_events (game, kind) SELECT 0, 'change' FROM generate_series(1, 5)"))
    session.execute(text("UPDATE event_positions SET last = last + 5000"))
    session.commit()
    game.move()
    far = asked(ann, after=begin)
    assert far["items"][:-1] == near["items"]
    assert kinds(far)[-1] == "move"


def test_a_cursor_of_a_lost_history_or_of_deleted_events_is_gone(
    client: FlaskClient, sign_up: SignUp, asked: Asked, session: Session, owner: Engine, clock: Clock
) -> None:
    game = start(client, sign_up("Ann"), sign_up("Ben"))
    ann = game.players[0]
    begin = asked(ann)["after"]
    game.move()
    now = asked(ann, after=begin)["after"]
    later = clock() + events.KEPT + timedelta(days=9)
    assert events.purge(session, clock(), 1000) == 0
    assert events.purge(session, later, 2) == 2
    assert events.purge(session, later, 1000) == 2
    session.commit()
    problem = asked(ann, status=410, after=begin)
    assert (problem["code"], problem["after"]) == ("events_gone", now)
    assert asked(ann, after=problem["after"])["items"] == []
    with owner.begin() as connection:
        epoch.renew(connection)
    assert asked(ann, status=410, after=now)["after"] != now
    ahead = asked(ann)["after"].partition("-")[0] + "-999999"
    asked(ann, status=410, after=ahead)


@pytest.mark.parametrize("wrong", [{"after": "x"}, {"wait": 51}, {"wait": "long"}, {"since": "1"}])
def test_a_wrong_query_of_events_is_refused(sign_up: SignUp, asked: Asked, wrong: dict[str, str]) -> None:
    assert asked(sign_up("Ann"), status=422, **wrong)["code"] == "wrong_fields"


def test_events_need_a_token_and_a_well_formed_last_event_id(
    client: FlaskClient, sign_up: SignUp, asked: Asked
) -> None:
    assert asked(None, status=401)["code"] == "token_missing"
    headers = sign_up("Ann").headers | {"Last-Event-ID": "nonsense"}
    assert client.get("/v1/events", headers=headers).get_json()["code"] == "cursor_malformed"


def test_a_wait_for_what_has_happened_is_answered_at_once(
    make_app: Callable[..., Flask], client: FlaskClient, sign_up: SignUp, asked: Asked
) -> None:
    ann = sign_up("Ann")
    begin = asked(ann)["after"]
    start(client, ann, sign_up("Ben"))
    there = asked(ann, after=begin)
    threaded, alone = {"wsgi.multithread": True}, make_app(limit_streams_per_account=1).test_client()
    for _ in range(2):
        answer = alone.get(f"/v1/events?after={begin}&wait=50", headers=ann.headers, environ_overrides=threaded)
        assert (answer.status_code, answer.get_json()) == (200, there)


@pytest.mark.parametrize("with_token", [True, False])
def test_streams_of_a_table_are_limited_by_account_or_else_by_network(
    make_app: Callable[..., Flask], client: FlaskClient, sign_up: SignUp, with_token: bool
) -> None:
    ann = sign_up("Ann")
    path = f"{start(client, ann, sign_up('Ben')).path}/events"
    headers = (ann.headers if with_token else {}) | {"Accept": "text/event-stream"}
    limited = make_app(limit_streams_per_account=1, limit_streams_per_ip=3).test_client()
    answers = [limited.get(path, headers=headers, environ_overrides={"wsgi.multithread": True}) for _ in range(4)]
    most = 1 if with_token else 3
    assert [each.status_code for each in answers] == [200] * most + [429] * (4 - most)
    for each in answers:
        each.close()


def test_streams_of_the_networks_of_one_host_are_limited_together(
    make_app: Callable[..., Flask], client: FlaskClient, sign_up: SignUp
) -> None:
    path = f"{start(client, sign_up('Ann'), sign_up('Ben')).path}/events"
    limited = make_app(limit_streams_per_ip=1).test_client()

    def ask(network: int) -> TestResponse:
        told = {"wsgi.multithread": True, "REMOTE_ADDR": f"2001:db8:1:{network:x}::7"}
        return limited.get(path, headers={"Accept": "text/event-stream"}, environ_overrides=told)

    answers = [ask(network) for network in range(18)]
    assert [each.status_code for each in answers] == [200] * 16 + [429] * 2
    answers.pop(0).close()
    answers.append(ask(17))
    assert answers[-1].status_code == 200, "a refusal has left nothing taken"
    for each in answers:
        each.close()


@pytest.mark.parametrize(
    ("accept", "streams"),
    [
        ("text/event-stream", True),
        ("TEXT/EVENT-STREAM", True),
        ("text/event-stream, */*;q=0.1", True),
        ("text/event-stream;q=0", False),
        ("application/json, text/event-stream;q=0.1", False),
        ("x/text/event-streams", False),
        ("*/*", False),
    ],
)
def test_a_stream_is_sent_to_whoever_prefers_it_to_json(
    client: FlaskClient, sign_up: SignUp, accept: str, streams: bool
) -> None:
    ann = sign_up("Ann")
    begin = client.get("/v1/events", headers=ann.headers).get_json()["after"]
    table = client.post("/v1/games", json={"seats": 2}, headers=ann.headers).headers["Location"]
    for path in ("/v1/events", f"{table}/events"):
        headers = ann.headers | {"Accept": accept}
        with client.get(
            f"{path}?after={begin}", headers=headers, environ_overrides={"wsgi.multithread": True}
        ) as answer:
            assert answer.mimetype == ("text/event-stream" if streams else "application/json"), path


def test_a_server_that_cannot_keep_connections_open_refuses_to_wait(client: FlaskClient, sign_up: SignUp) -> None:
    headers = sign_up("Ann").headers
    assert client.get("/v1/events?wait=1", headers=headers).get_json()["code"] == "streams_unavailable"
    streaming = headers | {"Accept": "text/event-stream"}
    assert client.get("/v1/events", headers=streaming).status_code == 503


def test_deleting_an_account_deletes_the_events_that_were_for_it_alone(
    app: Flask, client: FlaskClient, sign_up: SignUp, asked: Asked, session: Session
) -> None:
    ann, ben = sign_up("Ann"), sign_up("Ben")
    table = client.post("/v1/games", json={"seats": 2, "visibility": "private"}, headers=ann.headers).get_json()
    client.post(f"/v1/games/{table['id']}/invitations", json={"email": ben.email}, headers=ann.headers)
    asked(ann)
    query = text("SELECT count(*) FROM events WHERE account IS NOT NULL")
    assert session.scalar(query) == 1
    assert client.delete("/v1/me", headers=ben.headers).status_code in (200, 204)
    session.commit()
    assert session.scalar(query) == 0
