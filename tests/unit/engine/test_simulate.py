"""Simulated games: the same bytes for the same arguments, and the meaning of the arguments."""

import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest

from engine import audit, simulate
from engine.errors import SetupError


def lines(
    games: int, seats: int, seed: str = "s", bot: str = "random", discs: str | int = "full", leave: str = "0"
) -> list[bytes]:
    """Return the lines of the records."""
    return list(simulate.records(games, seats, seed, bot, discs, leave))


def test_the_same_bytes_everywhere() -> None:
    # Fixed here, to notice a machine or Python version that produces other bytes.
    made = hashlib.sha256()
    for seats in (1, 2, 3, 4):
        for line in lines(5, seats, leave="0.03") + lines(2, seats, bot="greedy"):
            made.update(line)
    assert made.hexdigest() == "3e7bccc94fbc8c53d4b8702d7d98a3bd0744973fe38eaceb2f0460c52292456b"


@pytest.mark.parametrize("hash_seed", ["0", "1", "4242"])
def test_hash_randomisation_changes_nothing(hash_seed: str) -> None:
    code = (
        "import hashlib; from engine import simulate as s;"
        "print(hashlib.sha256(b''.join(s.records(4, 3, 'h', 'greedy', 5, '0.1'))).hexdigest())"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    assert printed == hashlib.sha256(b"".join(lines(4, 3, "h", "greedy", 5, "0.1"))).hexdigest()


def test_a_game_does_not_depend_on_how_many_are_made() -> None:
    assert lines(5, 2)[:3] == lines(3, 2)


def test_each_argument_makes_other_games() -> None:
    made = [
        lines(1, 2),
        lines(1, 3),
        lines(1, 2, seed="t"),
        lines(1, 2, bot="greedy"),
        lines(1, 2, discs=19),
        lines(1, 2, leave="0.5"),
    ]
    assert len({bytes(one[0]) for one in made}) == len(made)


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
@pytest.mark.parametrize("leave", ["0", "0.05", "1"])
def test_records_verify(seats: int, leave: str) -> None:
    for line in lines(10, seats, leave=leave):
        audit.check(line)


def test_leaving_and_marks_occur_with_the_chance() -> None:
    games = [json.loads(line) for line in lines(100, 4, leave="0.02")]
    kinds = Counter(entry["move"]["type"] for game in games for entry in game["log"])
    assert {"place", "refill", "resign", "timeout", "mark"} == set(kinds)
    entries = sum(kinds.values())
    assert 0.01 < (kinds["resign"] + kinds["timeout"]) / entries < 0.03
    assert 0.01 < kinds["mark"] / entries < 0.03
    by = {(entry["move"]["type"], entry.get("by")) for game in games for entry in game["log"]}
    assert by == {
        ("place", "bot:random"),
        ("refill", "bot:random"),
        ("resign", "bot:random"),
        ("timeout", None),
        ("mark", None),
    }
    assert not any(entry["move"]["type"] == "mark" for line in lines(20, 4) for entry in json.loads(line)["log"])


def test_leaving_at_once() -> None:
    for line in lines(5, 3, leave="1"):
        assert [entry["move"]["type"] in ("resign", "timeout") for entry in json.loads(line)["log"]] == [True, True]


def test_goal_discs() -> None:
    assert json.loads(lines(1, 3, discs="first_game")[0])["game"]["goal_discs"] == 17
    assert json.loads(lines(1, 2, discs=7)[0])["game"]["goal_discs"] == 7
    assert json.loads(lines(1, 1)[0])["game"]["goal_discs"] == 21


def test_greedy_is_better_than_random() -> None:
    def discs(bot: str) -> int:
        return sum(sum(json.loads(line)["result"]["discs_left"]) for line in lines(10, 1, bot=bot))

    assert discs("greedy") < discs("random") / 2


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ({"games": -1, "seats": 2}, ValueError),
        ({"games": 1, "seats": 0}, SetupError),
        ({"games": 1, "seats": 5}, SetupError),
        ({"games": 1, "seats": 2, "discs": "first_game"}, SetupError),
        ({"games": 1, "seats": 2, "discs": 4}, SetupError),
        ({"games": 1, "seats": 1, "discs": 20}, SetupError),
        ({"games": 1, "seats": 2, "bot": "clever"}, ValueError),
        ({"games": 1, "seats": 2, "leave": "1.1"}, ValueError),
        ({"games": 1, "seats": 2, "leave": "-0.1"}, ValueError),
        ({"games": 1, "seats": 2, "leave": "1e-3"}, ValueError),
        ({"games": 1, "seats": 2, "leave": "half"}, ValueError),
        ({"games": 1, "seats": 2, "leave": "nan"}, ValueError),
    ],
)
def test_arguments_that_make_no_game(arguments: dict[str, Any], kind: type[Exception]) -> None:
    with pytest.raises(kind):
        simulate.records(**{"seed": "s", "bot": "random"} | arguments)


def test_no_games_is_no_record() -> None:
    assert lines(0, 2) == []
