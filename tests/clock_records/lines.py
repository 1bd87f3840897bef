"""The lines of both files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from engine import record
from tests.clock_records.spoiled_settings import SETTINGS
from tests.clock_records.spoiled_steps import STEPS
from tests.clock_records.spoiled_words import WORDS
from tests.clock_records.timed_game import TimedGame
from tests.clock_records.valid import VALID, name_of

_DATA = Path(__file__).parents[1] / "data"
VALID_FILE = _DATA / "clock-record-vectors.jsonl"
SPOILED_FILE = _DATA / "spoiled-clock-records.jsonl"


def valid_lines() -> Iterator[bytes]:
    """Give the record of each valid game."""
    return (record.line(script(name_of(script)).record()) for script in VALID)


def spoiled_lines() -> Iterator[bytes]:
    """Give an object for each spoiled game: its id, the wrong entry, why it is wrong, and the record."""
    for spoiled in (*SETTINGS, *STEPS, *WORDS):
        game = TimedGame(spoiled.name, spoiled.terms, spoiled.seats)
        spoiled.script(game)
        wrong = game.seq if spoiled.entry is None else spoiled.entry
        yield record.line({"id": spoiled.name, "entry": wrong, "why": spoiled.why, "record": game.record()})
