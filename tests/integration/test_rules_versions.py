"""Two versions of the rules are played side by side, each game by the one that it was started with."""

import json
from pathlib import Path
from typing import NamedTuple

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from engine import audit, notation, record, rules, simulate
from engine.errors import RecordError
from service.api import rules as rulings
from service.api.context import context_of
from service.commands.rebuild import rebuild
from service.jobs.outgoing_mail import for_turn
from tests.record_faults.faults import chain
from tests.support.clock import NOW
from tests.support.http_games import Game, SignUp, play_out, start
from tests.support.other_rules import FEWER, OTHER

DISCS = 20


TEXT = {"Accept": notation.MEDIA_TYPE}


class Both(NamedTuple):
    """A game by the first version, and one by the other, which was added while the first ran."""

    old: Game
    new: Game


@pytest.fixture
def other(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Add the other version, which is the newest from then on."""
    monkeypatch.setitem(rules.VERSIONS, OTHER.version, OTHER)
    monkeypatch.setitem(rulings.FOLDERS, OTHER.version, tmp_path)
    (tmp_path / "RULINGS.md").write_text("# The other rules\n\n- 2.2 Up to four tiles left.\n", encoding="utf-8")


@pytest.fixture
def both(client: FlaskClient, sign_up: SignUp, request: pytest.FixtureRequest) -> Both:
    ann, ben = sign_up("Ann"), sign_up("Ben")
    old = start(client, ann, ben)
    old.move()
    request.getfixturevalue("other")
    return Both(old, start(client, ann, ben))


def to_few_tiles(game: Game) -> None:
    """Play until three or four tiles are left on the track."""
    while sum(tile is not None for tile in game.view()["selection_track"]["spaces"]) > 4:
        game.move()


def refill(game: Game) -> tuple[int, str | None]:
    """Try to refill; return the status and the ruling of the refusal."""
    made = game.post(game.to_move(), {"type": "refill", "expected_version": game.view()["version"]})
    return made.status_code, made.get_json().get("rule")


def test_each_game_says_its_version_and_is_played_by_it(both: Both, client: FlaskClient) -> None:
    assert [game.view()["rules"] for game in both] == ["1", "other"]
    assert [json.loads(game.get("/record").data)["rules"] for game in both] == ["1", "other"]
    pages = [client.get(f"/games/{game.id}").text for game in both]
    assert [f'"/rules/{version}?' in page for page, version in zip(pages, ("1", "other"), strict=True)] == [True] * 2
    assert [game.view()["players"][0]["discs_left"] for game in both] == [DISCS, DISCS - FEWER]
    for game in both:
        to_few_tiles(game)
    assert [game.get("/legal-moves").get_json()["refill"] for game in both] == [False, True]
    assert refill(both.old) == (422, "2.2")
    assert refill(both.new) == (201, None)


def test_an_open_table_says_the_version_that_it_would_have(client: FlaskClient, sign_up: SignUp, other: None) -> None:
    ann = sign_up("Ann")
    path = client.post("/v1/games", json={"seats": 2}, headers=ann.headers).headers["Location"]
    assert client.get(path).get_json()["rules"] == "other"


def to_a_turn_that_is_mailed(game: Game) -> int:
    """Play on until a turn begins with three or four tiles left, and return its version."""
    while True:
        view = game.move().get_json()
        few = sum(tile is not None for tile in view["selection_track"]["spaces"]) in (3, 4)
        if few and view["last_move"]["turn_passed"]:
            return int(view["version"])


def broken(line: bytes) -> str | None:
    """Return the code of the fault of a record, or None."""
    try:
        audit.check(line)
    except RecordError as error:
        return error.code
    return None


def test_mails_are_by_the_rules_of_their_game(both: Both, app: Flask, session: Session) -> None:
    texts = []
    for game in both:
        version = to_a_turn_that_is_mailed(game)
        mail = for_turn(session, context_of(app).settings, NOW, game=game.id, wait=version)
        assert mail is not None
        texts.append(mail.compose(None).text)
    assert ["Or refill first" in text for text in texts] == [False, True]


def test_finished_games_are_replayed_and_verified_by_their_rules(both: Both, session: Session) -> None:
    to_few_tiles(both.new)
    assert refill(both.new)[0] == 201
    for game, discs in zip(both, (DISCS, DISCS - FEWER), strict=True):
        last = play_out(game)
        line = game.get("/record").data
        whole = json.loads(line)
        as_text = game.client.get(f"{game.path}/record", headers=TEXT).data
        assert broken(line) is None
        assert record.line(whole) == line == notation.record_line(notation.read(as_text))
        assert game.get("?at=1").get_json()["players"][0]["discs_left"] in range(discs - 3, discs + 1)
        assert whole["log"][-1]["seq"] == last["version"]
        whole["rules"] = "other" if whole["rules"] == "1" else "1"
        assert broken(record.line(chain(whole))) in ("rules", "result")
    assert list(rebuild(session, write=False)) == []


def test_bots_play_by_the_rules_of_their_game(other: None) -> None:
    by_old, by_new = (
        next(simulate.records(1, 2, "side by side", "greedy", version=version)) for version in ("1", "other")
    )
    assert broken(by_old) is None and broken(by_new) is None
    assert json.loads(by_old)["draw"] == json.loads(by_new)["draw"]
    assert len(json.loads(by_new)["log"]) < len(json.loads(by_old)["log"])


def test_the_rulings_of_each_version_stay_where_they_are(client: FlaskClient, both: Both) -> None:
    first, newest = client.get("/v1/rules/1"), client.get("/v1/rules")
    assert newest.text.startswith("# The other rules") and newest.headers["Content-Location"] == "/v1/rules/other"
    assert first.text != newest.text and client.get("/v1/rules/other").text == newest.text
    assert "immutable" in first.headers["Cache-Control"] and "immutable" not in newest.headers["Cache-Control"]
    page = client.get("/rules/1").text
    assert "three tiles" in page and '<a href="/rules/other?language=en">' in page
    assert "Up to four tiles left" in client.get("/rules").text


def test_rules_that_are_unknown_are_refused_by_name(client: FlaskClient) -> None:
    answer = client.get("/v1/rules/2")
    assert answer.status_code == 404 and answer.get_json()["code"] == "unknown_rules"
    assert "there is 1" in answer.get_json()["detail"]
    assert client.get("/rules/2").status_code == 404


_BELOW_A_GAME = (
    *("", "/legal-moves", "/record", "/board.svg", "/board.png", "/moves/1", "/moves.csv", "/seats/0/goals"),
    "/moves.atom",
)


def test_a_game_of_a_newer_release_is_refused_for_a_while(
    both: Both, monkeypatch: pytest.MonkeyPatch, app: Flask
) -> None:
    both.new.move()
    monkeypatch.delitem(rules.VERSIONS, "other")
    context_of(app).tables.clear()
    for below in _BELOW_A_GAME:
        answer = both.new.get(below)
        assert answer.status_code == 503 and answer.get_json()["code"] == "unknown_rules", below
        assert answer.headers["Retry-After"], below
    page = both.new.client.get(f"/games/{both.new.id}", headers={"Accept": "text/html"})
    assert page.status_code == 503 and page.mimetype == "text/html" and page.headers["Retry-After"]
    assert both.old.get().status_code == 200
