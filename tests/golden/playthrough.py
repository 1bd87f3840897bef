"""The contents of a golden file: the game's header, its draw, and after each move the facts and the whole state."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine import moves, record, simulate, text
from tests.support.plain import plain

FOLDER = Path(__file__).parent
GAMES: dict[str, dict[str, Any]] = {
    "solo": {"seats": 1, "bot": "greedy"},
    "two": {"seats": 2, "bot": "greedy"},
    "three": {"seats": 3, "bot": "greedy", "discs": "first_game"},
    "four": {"seats": 4, "bot": "random", "leave": "0.02"},
}
"""The arguments of `engine.simulate.records` for each game, by name."""


def file_of(version: str, name: str) -> Path:
    """Return the golden file of a game by a version of the rules; the record is beside it."""
    return FOLDER / version / f"{name}.jsonl"


def record_of(version: str, name: str) -> Path:
    """Return the file of the record that a golden file was made from."""
    return FOLDER / version / f"{name}.record.jsonl"


def source(version: str, name: str) -> bytes:
    """Return the line of the record that a golden file was made from."""
    return next(iter(simulate.records(games=1, seed="golden 5", **GAMES[name], version=version)))


def lines(line: bytes) -> Iterator[str]:
    """Yield the lines of a golden file for a record: the start, then one for each entry."""
    game = json.loads(line)
    state = record.start(game, game["draw"]["tiles"])
    yield _dump({"game": game["game"], "tiles": game["draw"]["tiles"], "state": plain(state)})
    for entry in game["log"]:
        step = state.advance(entry["seat"], moves.from_json(entry["move"]))
        yield _dump(
            {
                "seq": entry["seq"],
                "seat": entry["seat"],
                "move": text.render(step.move),
                "space": step.space,
                "moved": step.moved,
                "covered": [
                    {"tile": tile, "goal": goal, "counting": step.counting(tile, goal)} for tile, goal in step.covered
                ],
                "refilled": step.refilled,
                "by_itself": step.by_itself,
                "turn_passed": step.turn_passed,
                "state": plain(state),
            }
        )


def _dump(value: dict[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False) + "\n"
