"""A GET of a table: the dispatcher and Flask's route give the same response."""

import json
import re
from collections.abc import Callable
from io import StringIO

import psycopg
import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.api import dispatch
from service.api.context import context_of
from service.store.autocommit_pool import AutocommitPool
from tests.support.clock import Clock
from tests.support.http_games import Game, SignUp, start, start_solo, with_expiring_token
from tests.support.web import Person

NOTHING = re.compile("(?!)")

Ask = Callable[[str, dict[str, str]], TestResponse]


@pytest.fixture
def both(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Return a function that sends a request through the dispatcher and through Flask's route.

    It compares the two responses, and returns one of them.
    """

    def ask(path: str, headers: dict[str, str]) -> TestResponse:
        answers = [client.get(path, headers=headers)]
        with monkeypatch.context() as patched:
            patched.setattr(dispatch, "PATH", NOTHING)
            answers.append(client.get(path, headers=headers))
        ours, flasks = answers
        for answer in answers:
            assert len(answer.headers.pop("X-Request-Id")) == 16
        assert ours.status == flasks.status
        assert sorted(ours.headers) == sorted(flasks.headers)
        assert ours.data == flasks.data
        return ours

    return ask


@pytest.fixture
def game(client: FlaskClient, ann: Person, sign_up: SignUp) -> Game:
    return start(client, ann, sign_up("Ben"))


def test_whoever_may_see_a_table_sees_it(both: Ask, game: Game, ann: Person, sign_up: SignUp) -> None:
    for headers in ({}, ann.headers, sign_up("Zoë").headers):
        assert both(game.path, headers).status_code == 200


def test_shown_table_follows_the_game(both: Ask, game: Game, ann: Person) -> None:
    for _ in range(3):
        answer = both(game.path, ann.headers)
        assert answer.get_json() is not None
        mover = game.players[answer.get_json()["turn"]["seat"]]
        assert game.post(mover, game.first()).status_code == 201
        after = both(game.path, ann.headers)
        assert after.get_json() is not None and after.get_json()["version"] == answer.get_json()["version"] + 1


def test_a_game_has_begun_and_ended_when_it_says_so(
    client: FlaskClient, ann: Person, sign_up: SignUp, clock: Clock
) -> None:
    ben = sign_up("Ben")
    path = client.post("/v1/games", json={"seats": 2}, headers=ann.headers).headers["Location"]
    game = Game(path, (ann, ben), client)
    times = [_begun_and_ended(game)]
    clock.advance(hours=1)
    client.post(f"{path}/players", headers=ben.headers)
    times.append(_begun_and_ended(game))
    clock.advance(hours=1)
    game.move()
    times.append(_begun_and_ended(game))
    clock.advance(hours=1)
    assert game.post(game.to_move(), {"type": "resign", "expected_version": 1}).status_code == 201
    times.append(_begun_and_ended(game))
    began, ended = times[1][0], game.view()["last_move"]["at"]
    assert times == [(None, None), (began, None), (began, None), (began, ended)] and began < ended


def _begun_and_ended(game: Game) -> tuple[str | None, str | None]:
    view = game.view()
    return view["started_at"], view["ended_at"]


@pytest.mark.parametrize("form", ['"{}"', 'W/"{}"', '"0-0", "{}"', "*"])
def test_what_still_holds_is_not_sent_again(both: Ask, game: Game, ann: Person, form: str) -> None:
    tag = both(game.path, ann.headers).headers["ETag"].strip('"')
    assert both(game.path, {**ann.headers, "If-None-Match": form.format(tag)}).status_code == 304
    for other in ('"0-0"', '""', 'W/"", "x"', f'"{"9" * 40}-1"'):
        for below in ("", "/legal-moves", "/record"):
            assert both(game.path + below, {**ann.headers, "If-None-Match": other}).status_code == 200


def test_a_reader_who_may_not_see_a_table_gets_404(
    both: Ask, client: FlaskClient, ann: Person, sign_up: SignUp
) -> None:
    solo = start_solo(client, ann)
    assert both(solo.path, ann.headers).status_code == 200
    assert both(solo.path, sign_up("Ben").headers).status_code == 404
    assert both(solo.path, {}).status_code == 404
    assert both(solo.path.replace("solo-sessions", "games"), ann.headers).status_code == 404
    assert both("/v1/games/abcdefghijkl", {}).status_code == 404
    assert both("/v1/games/none", {}).status_code == 404


@pytest.mark.parametrize("token", ["Bearer " + "x" * 43, "Bearer", "Basic eDp5", "bearer  " + "x" * 43])
def test_a_wrong_token_is_refused(both: Ask, game: Game, token: str) -> None:
    assert both(game.path, {"Authorization": token}).status_code == 401


def test_a_query_is_read(both: Ask, game: Game, ann: Person) -> None:
    assert both(f"{game.path}?at=0", ann.headers).status_code == 200
    assert both(f"{game.path}?at=x", ann.headers).status_code == 422


def test_where_the_database_is_away_it_is_asked_once(
    client: FlaskClient, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def fail(*arguments: object) -> None:
        asked.append(arguments)
        raise psycopg.OperationalError("away")

    monkeypatch.setattr(AutocommitPool, "read", fail)
    answer = client.get(game.path)
    assert answer.status_code == 503 and answer.headers["Retry-After"] == "2"
    assert len(asked) == 1


def test_tables_are_shown_and_refused_without_flask(
    client: FlaskClient, game: Game, ann: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Flask, "full_dispatch_request", None)
    answer = client.get(game.path, headers=ann.headers)
    assert answer.status_code == 200
    tag = answer.headers["ETag"]
    assert client.get(game.path, headers={**ann.headers, "If-None-Match": tag}).status_code == 304
    assert client.get(f"{game.path}?at=0", headers=ann.headers).status_code == 200
    refused = client.get(f"{game.path}?at=9", headers={"Accept-Language": "de"})
    assert (refused.status_code, refused.get_json()["code"]) == (404, "no_such_version")
    assert (refused.headers["Content-Language"], refused.headers["Vary"]) == ("de", "Accept-Language, Authorization")


def test_internal_error_is_500_without_details(
    both: Ask, game: Game, monkeypatch: pytest.MonkeyPatch, lines: StringIO
) -> None:
    def fail(*arguments: object) -> None:
        raise ValueError("a secret")

    monkeypatch.setattr(AutocommitPool, "read", fail)
    answer = both(game.path, {})
    assert (answer.status_code, answer.get_json()["code"]) == (500, "internal_error")
    failed = [json.loads(line) for line in lines.getvalue().splitlines() if '"error": [' in line]
    assert [line["level"] for line in failed] == ["error", "error"] and all("request" in line for line in failed)
    assert "secret" not in answer.text


@pytest.mark.parametrize("visibility", ["public", "private"])
def test_an_expired_token_reads_no_table(
    app: Flask, both: Ask, client: FlaskClient, clock: Clock, ann: Person, visibility: str
) -> None:
    """This holds whether or not this process has cached the table."""
    brief = with_expiring_token(app, ann)
    made = client.post("/v1/games", json={"seats": 2, "visibility": visibility}, headers=ann.headers)
    solo = start_solo(client, ann)
    clock.advance(days=1, milliseconds=-1)
    paths = [made.headers["Location"], solo.path]
    tags = [both(path, brief.headers).headers["ETag"] for path in paths]
    clock.advance(milliseconds=1)
    for path, tag in zip(paths, tags, strict=True):
        for condition in ({}, {"If-None-Match": tag}):
            for cached in (True, False):
                if not cached:
                    context_of(app).tables.clear()
                refused = both(path, {**brief.headers, **condition})
                assert (refused.status_code, refused.get_json()["code"]) == (401, "token_invalid")
        assert both(path, ann.headers).status_code == 200
