"""The golden playthroughs of every version are reproduced move by move, and contain what they are meant to show."""

import json

import pytest

from engine import audit
from engine.rules import VERSIONS
from tests.golden.playthrough import FOLDER, GAMES, file_of, lines, record_of, source

ALL = [(version, name) for version in VERSIONS for name in GAMES]


@pytest.mark.parametrize(("version", "name"), ALL)
def test_every_state_is_as_it_was(version: str, name: str) -> None:
    line = record_of(version, name).read_bytes()
    audit.check(line)
    assert json.loads(line)["rules"] == version
    golden = file_of(version, name).read_text(encoding="utf-8").splitlines(keepends=True)
    for made, expected in zip(lines(line), golden, strict=True):
        assert made == expected


@pytest.mark.parametrize(("version", "name"), ALL)
def test_the_script_makes_them_again(version: str, name: str) -> None:
    assert source(version, name) == record_of(version, name).read_bytes()


def test_no_version_that_has_golden_games_was_removed() -> None:
    assert {folder.name for folder in FOLDER.iterdir() if (folder / "two.jsonl").exists()} == set(VERSIONS)


def test_golden_games_contain_every_kind_of_step() -> None:
    steps = [
        json.loads(line)
        for version, name in ALL
        for line in file_of(version, name).read_text(encoding="utf-8").splitlines()[1:]
    ]
    assert any(step["by_itself"] for step in steps)
    assert any(step["refilled"] and not step["by_itself"] for step in steps)
    assert any(step["move"] in ("resign", "timeout") for step in steps)
    assert any(step["move"].startswith("mark") for step in steps)
    assert any(len(step["covered"]) > 1 for step in steps)
    assert any(goal["counting"] for step in steps for goal in step["covered"] if len(goal["counting"]) > 4)
    assert any(len(stack) > 1 for step in steps for position, stack in step["state"]["stacks"] if position)
    assert {step["state"]["result"]["reason"] for step in steps if step["state"]["result"]} >= {"discs"}
