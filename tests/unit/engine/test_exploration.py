"""Explorations: their records verify, prove which position of which game they went on from, and pass for no game."""

import json
from typing import Any

import pytest

from engine import audit, exploration
from engine.errors import RecordError
from tests.exploration_records import TAMPERED_FILE, VALID_FILE, explored, origins
from tests.support.javascript import audited

VALID = VALID_FILE.read_bytes().splitlines(keepends=True)
TAMPERED = [json.loads(line) for line in TAMPERED_FILE.read_text(encoding="utf-8").splitlines()]


def test_valid_explorations_verify() -> None:
    assert [audited(line) for line in VALID] == [None] * len(VALID)
    found = [json.loads(line) for line in VALID]
    assert {each["result"] is None for each in found} == {True, False}
    assert {each["origin"]["tiles"] == 68 for each in found} == {True, False}
    assert any(each["log"] and each["log"][0]["move"].get("kind") == "clock" for each in found)


@pytest.mark.parametrize("fault", TAMPERED, ids=lambda fault: fault["why"])
def test_faults_are_refused_with_code_and_entry(fault: dict[str, Any]) -> None:
    assert audited(fault["line"].encode()) == (fault["code"], fault["entry"])


def test_no_exploration_is_taken_for_a_game() -> None:
    for line in VALID:
        with pytest.raises(RecordError):
            audit.check(line)


def test_no_game_is_taken_for_an_exploration() -> None:
    for game in origins()[:5]:
        line = json.dumps(game, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
        audit.check(line)
        exploration.check_any(line)
        with pytest.raises(RecordError):
            exploration.check(line)


def test_tiles_drawn_anew_are_the_ones_that_were_left() -> None:
    tiles = tuple(range(68, 0, -1))
    drawn = exploration.drawn_anew(tiles, 20, b"seed")
    assert drawn[:20] == tiles[:20] and sorted(drawn) == sorted(tiles) and drawn[20:] != tiles[20:]
    hidden = (*tiles[:20], *tiles[40:], *tiles[20:40])
    assert exploration.drawn_anew(hidden, 20, b"seed") == drawn, "the order of the rest must not show"


def test_the_log_goes_on_from_the_one_of_its_origin() -> None:
    game = next(each for each in origins() if each["game"]["seats"] == 2)
    found = explored(game, 5, 2, bot="greedy")
    kept = [{name: entry[name] for name in ("at", "seat", "move")} for entry in game["log"][:5]]
    assert [{name: entry[name] for name in ("at", "seat", "move")} for entry in found["log"][:5]] == kept
    assert found["origin"]["hash"] == game["log"][4]["hash"]
    assert [entry["by"] for entry in found["log"][5:]] == ["bot:greedy"] * 2
