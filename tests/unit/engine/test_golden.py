"""The golden playthroughs are reproduced move by move, and contain what they are meant to show."""

import json

import pytest

from engine import audit
from tests.golden.playthrough import FOLDER, GAMES, lines, source


@pytest.mark.parametrize("name", GAMES)
def test_every_state_is_as_it_was(name: str) -> None:
    line = (FOLDER / f"{name}.record.jsonl").read_bytes()
    audit.check(line)
    golden = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    for made, expected in zip(lines(line), golden, strict=True):
        assert made == expected


@pytest.mark.parametrize("name", GAMES)
def test_the_script_makes_them_again(name: str) -> None:
    assert source(name) == (FOLDER / f"{name}.record.jsonl").read_bytes()


def test_they_show_what_the_rules_are_about() -> None:
    steps = [
        json.loads(line)
        for name in GAMES
        for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()[1:]
    ]
    assert any(step["by_itself"] for step in steps)
    assert any(step["refilled"] and not step["by_itself"] for step in steps)
    assert any(step["move"] in ("resign", "timeout") for step in steps)
    assert any(step["move"].startswith("mark") for step in steps)
    assert any(len(step["covered"]) > 1 for step in steps)
    assert any(goal["counting"] for step in steps for goal in step["covered"] if len(goal["counting"]) > 4)
    assert any(len(stack) > 1 for step in steps for position, stack in step["state"]["stacks"] if position)
    assert {step["state"]["result"]["reason"] for step in steps if step["state"]["result"]} >= {"discs"}
