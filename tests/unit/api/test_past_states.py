"""`at` and `head`: everything that shows a table shows it as it was, and says how long that may be cached."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flask.testing import FlaskClient

from engine import audit, notation
from tests.support.http_games import Game, SignUp, play_out, start, start_solo
from tests.support.web import Person

SUFFIXES = ("", "/legal-moves", "/record", "/board.svg", "/seats/1/goals")
SHARED = ("/legal-moves", "/record", "/board.svg", "/seats/1/goals")


@pytest.fixture
def game(client: FlaskClient, ann: Person, sign_up: SignUp) -> Game:
    return start(client, ann, sign_up("Ben"), discs=5)


def head_of(tag: str) -> str:
    return tag.strip('"').split("-")[2]


def seen(game: Game, suffix: str, query: str = "") -> Any:
    answer = game.get(f"{suffix}{query}")
    assert answer.status_code == 200, answer.text
    return answer.get_json()


def states(game: Game, suffix: str, moves: int = 4) -> list[Any]:
    """Make some moves, and return what was shown at each version before the last."""
    shown = []
    for _ in range(moves):
        shown.append(seen(game, suffix))
        game.move()
    return shown


@pytest.mark.parametrize("suffix", ["/legal-moves", "/record"])
def test_the_past_is_shown_as_it_was(game: Game, suffix: str) -> None:
    for at, shown in enumerate(states(game, suffix)):
        assert seen(game, suffix, f"?at={at}") == shown


@pytest.mark.parametrize("suffix", ["/legal-moves", "/record"])
def test_the_past_of_a_solo_is_shown_as_it_was(client: FlaskClient, ann: Person, suffix: str) -> None:
    solo = start_solo(client, ann)
    for at, shown in enumerate(states(solo, suffix)):
        assert seen(solo, suffix, f"?at={at}") == shown


def test_past_records_of_a_finished_game_are_those_of_a_running_one(game: Game) -> None:
    records = states(game, "/record", moves=3)
    last = play_out(game)
    for at, shown in enumerate(records):
        answer = game.get(f"/record?at={at}")
        assert answer.get_json() == shown
        assert shown["draw"]["server_seed"] is None and shown["result"] is None and len(shown["log"]) == at
        audit.check(answer.data)
    whole = game.get("/record")
    assert game.get(f"/record?at={last['version']}").data == whole.data
    assert json.loads(whole.data)["draw"]["server_seed"] == last["draw"]["server_seed"]


def test_the_text_notation_ends_with_the_version(game: Game) -> None:
    play_out(game)
    path, headers = f"{game.path}/record?at=2", {"Accept": notation.MEDIA_TYPE}
    answer = game.client.get(path, headers=headers)
    assert answer.headers["Content-Type"].startswith(notation.MEDIA_TYPE) and "Accept" in answer.headers["Vary"]
    assert notation.record_line(notation.read(answer.data)) == game.get("/record?at=2").data
    tag = answer.headers["ETag"]
    assert tag.startswith('"2-') and tag.endswith('-text"')
    kept = game.client.get(path, headers={**headers, "If-None-Match": tag})
    assert (kept.status_code, kept.data, kept.headers["ETag"]) == (304, b"", tag) and "Accept" in kept.headers["Vary"]
    assert game.client.get(f"{game.path}/record?at=2", headers={"If-None-Match": tag}).status_code == 200


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_version_with_its_head_is_cached_for_a_day(game: Game, suffix: str) -> None:
    game.move()
    head = head_of(game.get().headers["ETag"])
    game.move()
    scope = "public" if suffix in SHARED else "private"
    alone, both = game.get(f"{suffix}?at=1"), game.get(f"{suffix}?at=1&head={head}")
    assert alone.headers["Cache-Control"] == f"{scope}, no-cache"
    assert both.headers["Cache-Control"] == f"{scope}, max-age=86400, immutable"
    assert alone.data == both.data and alone.headers["ETag"] == both.headers["ETag"]
    assert ("Authorization" in both.headers.get("Vary", "")) == (scope == "private")
    kept = game.client.get(
        f"{game.path}{suffix}?at=1&head={head}",
        headers={**game.players[0].headers, "If-None-Match": both.headers["ETag"]},
    )
    assert (kept.status_code, kept.data) == (304, b"")
    assert kept.headers["Cache-Control"] == both.headers["Cache-Control"]
    assert game.get(suffix).headers["Cache-Control"] == "private, no-cache"


@pytest.mark.parametrize("suffix", ["", "/legal-moves", "/record", "/board.svg", "/seats/0/goals"])
def test_the_past_of_a_private_table_is_not_for_shared_caches(client: FlaskClient, ann: Person, suffix: str) -> None:
    solo = start_solo(client, ann)
    head = head_of(solo.get().headers["ETag"])
    solo.move()
    answer = solo.get(f"{suffix}?at=0&head={head}")
    assert answer.headers["Cache-Control"] == "private, max-age=86400, immutable"
    assert "Authorization" in answer.headers["Vary"]
    assert client.get(f"{solo.path}{suffix}?at=0").status_code == 404


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_version_that_does_not_exist_is_refused_by_name(game: Game, suffix: str) -> None:
    game.move()
    for query, status, code in (
        ("at=2", 404, "no_such_version"),
        ("at=9007199254740991", 404, "no_such_version"),
        ("at=1&head=00000000", 404, "no_such_state"),
        ("head=00000000", 404, "no_such_state"),
        ("at=-1", 422, "wrong_fields"),
        ("at=01", 422, "wrong_fields"),
        ("at=x", 422, "wrong_fields"),
        ("at=0&at=1", 422, "wrong_fields"),
        ("since=1", 422, "wrong_fields"),
    ):
        answer = game.get(f"{suffix}?{query}")
        assert (answer.status_code, answer.get_json()["code"]) == (status, code), query
    assert game.get(f"{suffix}?at=2").get_json()["version"] == 1


def test_the_past_is_not_cached_as_the_present(game: Game) -> None:
    game.move()
    for suffix in ("/legal-moves", "/record"):
        shown = seen(game, suffix)
        assert seen(game, suffix, "?at=0") != shown
        assert seen(game, suffix) == shown
