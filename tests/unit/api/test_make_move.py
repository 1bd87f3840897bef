"""A POST of a move is made, answered and refused alike by the dispatcher and by Flask's route."""

import json
import re
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from engine.table import Step
from service.api import dispatch
from service.api.context import context_of
from service.queries.replay import Replay, chained
from service.store import log
from service.store.autocommit_pool import AutocommitPool
from service.store.log import Entry
from tests.support.clock import Clock
from tests.support.http_games import Game, SignUp, start, start_solo, with_expiring_token
from tests.support.web import Person

NOTHING = re.compile("(?!)")


@pytest.fixture
def game(client: FlaskClient, ann: Person, sign_up: SignUp) -> Game:
    return start(client, ann, sign_up("Ben"))


def by_flask(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(dispatch, "PATH", NOTHING)


@pytest.fixture(params=["dispatched", "by Flask"])
def either_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the test with the dispatcher and without it."""
    if request.param == "by Flask":
        by_flask(monkeypatch)


def shape(answer: TestResponse) -> tuple[str, list[str], list[str]]:
    """Return the features that two responses of the same kind share: status, header names and the view's members."""
    assert answer.get_json() is not None
    return answer.status, sorted(answer.headers.keys()), list(answer.get_json())


def head_in(answer: TestResponse) -> str:
    return answer.headers["ETag"].strip('"').split("-")[2]


def holds(answer: TestResponse, game: Game, mover: Person) -> None:
    """Check that the response to a move is the view that the player gets now, and has its permanent URL."""
    got = game.get(reader=mover)
    assert (answer.status_code, answer.data) == (201, got.data)
    assert answer.headers["ETag"] == got.headers["ETag"]
    assert answer.headers["Content-Type"] == got.headers["Content-Type"]
    assert answer.headers["Location"] == f"{game.path}?at={got.get_json()['version']}&head={head_in(got)}"
    assert game.client.get(answer.headers["Location"], headers=mover.headers).data == got.data


def test_both_make_a_move_alike(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    shapes = []
    for number in range(8):
        with monkeypatch.context() as patched:
            if number % 2:
                by_flask(patched)
            mover, first = game.to_move(), game.first()
            if number % 4 < 2:
                first.pop("letter", None)
            answer = game.post(mover, first)
        holds(answer, game, mover)
        shapes.append(shape(answer))
    assert len(set(map(str, shapes))) == 1


def test_a_solo_is_played_alike(client: FlaskClient, ann: Person) -> None:
    solo = start_solo(client, ann)
    for _ in range(4):
        holds(solo.post(ann, solo.first()), solo, ann)


def test_if_match_names_the_state_and_decides(game: Game) -> None:
    mover, first = game.to_move(), game.first()
    tag = game.get().headers["ETag"]
    assert game.post(mover, first, {"If-Match": '"0-0"'}).status_code == 412
    assert game.post(mover, {**first, "expected_version": 99}, {"If-Match": tag}).status_code == 201


def test_the_same_key_gets_the_same_answer_whoever_gave_it(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(2):
        mover, first, key = game.to_move(), game.first(), {"Idempotency-Key": f"key-{number}"}
        answers = []
        for turn in range(3):
            with monkeypatch.context() as patched:
                if (turn + number) % 2:
                    by_flask(patched)
                answers.append(game.post(mover, first, key))
        version = answers[0].get_json()["version"]
        for answer in answers:
            assert (answer.status_code, answer.data) == (201, answers[0].data)
            assert answer.headers["ETag"] == answers[0].headers["ETag"]
            assert answer.headers["Location"] == answers[0].headers["Location"]
        assert game.view()["version"] == version == number + 1
        assert game.post(mover, {**first, "expected_version": 77}, key).get_json()["code"] == "idempotency_key_reused"


REFUSED: dict[str, tuple[Callable[[dict[str, Any]], Any], int, str]] = {
    "stale": (lambda first: {**first, "expected_version": 5}, 409, "stale_version"),
    "no version": (lambda first: {**first, "expected_version": None}, 422, "wrong_fields"),
    "version left out": (
        lambda first: {k: v for k, v in first.items() if k != "expected_version"},
        428,
        "version_required",
    ),
    "illegal cell": (lambda first: {**first, "x": 9}, 422, "cell_not_open"),
    "no such tile": (lambda first: {**first, "tile": 69}, 422, "wrong_fields"),
    "an unknown field": (lambda first: {**first, "colour": "red"}, 422, "wrong_fields"),
    "a timeout": (lambda first: {"type": "timeout", "expected_version": 0}, 422, "wrong_fields"),
    "an end": (lambda first: {"type": "end", "expected_version": 0}, 422, "wrong_fields"),
    "a mark": (lambda first: {"type": "mark", "kind": "x", "expected_version": 0}, 422, "wrong_fields"),
    "true": (lambda first: {**first, "x": True}, 422, "wrong_fields"),
    "true for a version": (lambda first: {**first, "expected_version": False}, 422, "wrong_fields"),
    "another cell's letter": (lambda first: {**first, "letter": "Z"}, 422, "wrong_fields"),
    "no letter": (lambda first: {**first, "letter": 1}, 422, "wrong_fields"),
    "a list": (lambda first: [first], 422, "wrong_fields"),
}


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_refused_and_changes_nothing(game: Game, name: str) -> None:
    change, status, code = REFUSED[name]
    before = game.get().data
    answer = game.post(game.to_move(), change(game.first()))
    assert (answer.status_code, answer.get_json() and answer.get_json()["code"]) == (status, code)
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert game.get().data == before


@pytest.mark.usefixtures("either_way")
def test_a_caller_who_may_not_move_gets_the_code_that_says_why(
    game: Game, client: FlaskClient, ann: Person, sign_up: SignUp
) -> None:
    first, path = game.first(), f"{game.path}/moves"
    waiting = next(player for player in game.players if player != game.to_move())
    refused = game.post(waiting, first)
    assert (refused.status_code, refused.get_json() and refused.get_json()["rule"]) == (422, "2.1")
    assert game.post(sign_up("Zoë"), first).status_code == 403
    assert client.post(path, json=first).status_code == 401
    assert client.post(path, json=first, headers={"Authorization": "Bearer " + "x" * 43}).status_code == 401
    solo = start_solo(client, ann)
    assert client.post(f"/v1/games/{solo.id}/moves", json=solo.first(), headers=ann.headers).status_code == 404


@pytest.mark.parametrize(
    ("raw", "kind", "status"),
    [
        (b'{"type":', "application/json", 400),
        (b'{"type": "refill", "type": "refill"}', "application/json", 400),
        (b'{"type": "refill"}', "text/plain", 415),
        (b'{"type": "refill", "x": "' + b"x" * 70_000 + b'"}', "application/json", 413),
        (b"[" * 60_000, "application/json", 400),
        (b"", "application/json", 422),
    ],
)
def test_a_body_that_cannot_be_read_is_refused(
    game: Game, client: FlaskClient, raw: bytes, kind: str, status: int
) -> None:
    answer = client.post(f"{game.path}/moves", data=raw, content_type=kind, headers=game.to_move().headers)
    assert answer.status_code == status


@pytest.mark.usefixtures("either_way")
def test_a_dry_run_stores_nothing(game: Game) -> None:
    mover, first = game.to_move(), game.first()
    assert game.post(mover, first, query="?dry_run=true").status_code == 200
    assert game.post(mover, first, {"Idempotency-Key": "é"}, query="?dry_run=true").status_code == 400
    assert game.post(mover, {**first, "x": 9}, {"Idempotency-Key": "k"}, query="?dry_run=true").status_code == 422
    assert game.view()["version"] == 0


@pytest.mark.usefixtures("either_way")
def test_a_lost_race_is_told_as_such(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another move is made between the read and the write."""
    mover, first = game.to_move(), game.first()
    append = log.append
    raced: list[bool] = []

    def late(*arguments: Any) -> bool:
        if not raced:
            raced.append(True)
            assert game.post(mover, first).status_code == 201
        return append(*arguments)

    monkeypatch.setattr(log, "append", late)
    for headers in ({}, {"Idempotency-Key": "late"}):
        raced.clear()
        mover, first = game.to_move(), game.first()
        answer = game.post(mover, first, headers)
        assert (answer.status_code, answer.get_json() and answer.get_json()["code"]) == (409, "stale_version")
    assert game.view()["version"] == 2


@pytest.mark.usefixtures("either_way")
def test_a_race_lost_to_the_same_key_gets_its_answer(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same request arrives a second time between the read and the write of the first."""
    mover, first, key = game.to_move(), game.first(), {"Idempotency-Key": "twice"}
    append = log.append
    won: list[Any] = []

    def late(*arguments: Any) -> bool:
        if not won:
            won.append(None)
            won[0] = game.post(mover, first, key)
        return append(*arguments)

    monkeypatch.setattr(log, "append", late)
    lost = game.post(mover, first, key)
    assert (lost.status_code, lost.data) == (201, won[0].data)
    assert [lost.headers[name] for name in ("ETag", "Location")] == [
        won[0].headers[name] for name in ("ETag", "Location")
    ]
    assert game.view()["version"] == 1


@pytest.mark.usefixtures("either_way")
def test_a_race_lost_to_the_same_key_with_another_body_is_refused(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    mover, first, key = game.to_move(), game.first(), {"Idempotency-Key": "twice"}
    append = log.append
    raced: list[bool] = []

    def late(*arguments: Any) -> bool:
        if not raced:
            raced.append(True)
            assert game.post(
                mover, {**first, "tile": game.view()["selection_track"]["choices"][1]["id"]}, key
            ).get_json()
        return append(*arguments)

    monkeypatch.setattr(log, "append", late)
    lost = game.post(mover, first, key)
    assert (lost.status_code, lost.get_json() and lost.get_json()["code"]) == (422, "idempotency_key_reused")
    assert game.view()["version"] == 1


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("cached", [True, False])
@pytest.mark.parametrize("key", [{}, {"Idempotency-Key": "one"}])
def test_an_expired_token_makes_no_move(
    app: Flask, client: FlaskClient, ann: Person, sign_up: SignUp, clock: Clock, cached: bool, key: dict[str, str]
) -> None:
    people = ann, sign_up("Ben")
    brief = {person.account: with_expiring_token(app, person) for person in people}
    game = start(client, *people)
    clock.advance(days=1, milliseconds=-1)
    assert game.post(brief[game.to_move().account], game.first()).status_code == 201
    clock.advance(milliseconds=1)
    mover, first = game.to_move(), game.first()
    if not cached:
        context_of(app).tables.clear()
    refused = game.post(brief[mover.account], first, key)
    assert (refused.status_code, refused.get_json() and refused.get_json()["code"]) == (401, "token_invalid")
    assert game.view()["version"] == 1
    assert game.post(mover, first, key).status_code == 201


def test_a_refused_move_is_read_and_answered_once(
    game: Game, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However it is refused, the table is read once and nothing is written, cached or not."""
    read, reads = AutocommitPool.read, []

    def counted(self: AutocommitPool, *arguments: Any) -> Any:
        reads.append(arguments)
        return read(self, *arguments)

    mover, first = game.to_move(), game.first()
    monkeypatch.setattr(AutocommitPool, "read", counted)
    for change, status, _ in REFUSED.values():
        reads.clear()
        assert game.post(mover, change(first)).status_code == status
        assert len(reads) == 1
    reads.clear()
    assert client.post(f"{game.path}/moves", json=first).status_code == 401
    assert not reads, "without a token nothing is read"


def test_a_move_that_the_rules_forbid_is_tried_once(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a table that is cached with its replay, too."""
    assert game.post(game.to_move(), game.first()).status_code == 201
    mover, first = game.to_move(), game.first()
    advance, tried = Replay.advance, []

    def counted(self: Replay, entry: Entry) -> Step:
        tried.append(entry)
        return advance(self, entry)

    monkeypatch.setattr(Replay, "advance", counted)
    refused = game.post(mover, {**first, "x": 50, "y": 50})
    assert (refused.status_code, refused.get_json() and refused.get_json()["rule"]) == (422, "2.6")
    assert len(tried) == 1
    assert game.post(mover, first).status_code == 201


def test_a_write_that_broke_off_is_not_tried_again(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    mover, first = game.to_move(), game.first()
    tried = []

    def fail(*arguments: object, **named: object) -> None:
        tried.append(arguments)
        raise psycopg.OperationalError("away")

    monkeypatch.setattr(AutocommitPool, "write", fail)
    answer = game.post(mover, first)
    assert answer.status_code == 503 and answer.headers["Retry-After"] == "2"
    assert len(tried) == 1


def test_a_version_that_is_null_is_wrong_whatever_the_condition_says(game: Game) -> None:
    tag = game.get().headers["ETag"]
    refused = game.post(game.to_move(), {**game.first(), "expected_version": None}, {"If-Match": tag})
    assert (refused.status_code, refused.get_json() and refused.get_json()["code"]) == (422, "wrong_fields")


def test_what_is_cached_is_not_believed(game: Game, client: FlaskClient, sign_up: SignUp) -> None:
    """Nobody can move with a token that is not the player's or has expired, even if the table is cached."""
    for _ in range(3):
        mover, first = game.to_move(), game.first()
        waiting = next(player for player in game.players if player != mover)
        refused = game.post(waiting, first)
        assert (refused.status_code, refused.get_json() and refused.get_json()["rule"]) == (422, "2.1")
        assert game.post(sign_up("Zoë"), first).status_code == 403
        assert game.post(mover, first).status_code == 201
    mover, first = game.to_move(), game.first()
    assert client.patch("/v1/me", json={"name": "Annabel"}, headers=game.players[0].headers).status_code == 200
    made = game.post(mover, first)
    assert (made.status_code, made.data) == (201, game.get(reader=mover).data)
    assert "Annabel" in [player["name"] for player in game.view()["players"]]
    mover, first = game.to_move(), game.first()
    for token in client.get("/v1/tokens", headers=mover.headers).get_json()["items"]:
        assert client.delete(f"/v1/tokens/{token['id']}", headers=mover.headers).status_code == 204
    assert game.post(mover, first).status_code == 401
    assert client.get(game.path).get_json()["version"] == 4


def test_a_move_is_made_without_flask(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    mover, first = game.to_move(), game.first()
    tag = game.get().headers["ETag"]
    monkeypatch.setattr(Flask, "full_dispatch_request", None)
    del first["expected_version"]
    made = game.post(mover, first, {"If-Match": tag, "Idempotency-Key": "k", "Content-Type": "application/json"})
    assert made.status_code == 201
    assert json.loads(made.data)["you"] == game.players.index(mover)


@pytest.mark.parametrize("change", ["another history", "quiet times"])
def test_a_cached_table_that_has_changed_is_read_again(
    game: Game, owner_url: str, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    """After a restore, the version may be the same and the log another one; settings of players change no version."""
    assert game.post(game.to_move(), game.first()).status_code == 201
    mover, first = game.to_move(), game.first()
    former = bytes(range(32))
    with psycopg.connect(owner_url, autocommit=True) as owner:
        if change == "quiet times":
            owner.execute("UPDATE tables SET facts = facts + 1 WHERE id = %s", [game.id])
        else:
            owner.execute("UPDATE progress SET head = %s", [former])
        read, reads = AutocommitPool.read, []

        def counted(self: AutocommitPool, *arguments: Any) -> Any:
            reads.append(arguments)
            return read(self, *arguments)

        monkeypatch.setattr(AutocommitPool, "read", counted)
        made = game.post(mover, first)
        assert made.status_code == 201 and reads, "the write found that the cached state is not current"
        found = owner.execute("SELECT seq, at, seat, by, move, hash FROM log WHERE seq = 2").fetchone()
        assert found is not None
    if change == "another history":
        assert found[5].hex() == chained(former.hex(), [Entry(*found[:5])])
