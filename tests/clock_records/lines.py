"""The lines of both files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from engine import record
from tests.clock_records.tampered_settings import SETTINGS
from tests.clock_records.tampered_steps import STEPS
from tests.clock_records.tampered_words import WORDS
from tests.clock_records.timed_game import TimedGame
from tests.clock_records.valid import VALID, name_of

_DATA = Path(__file__).parents[1] / "data"
VALID_FILE = _DATA / "clock-record-vectors.jsonl"
TAMPERED_FILE = _DATA / "tampered-clock-records.jsonl"


def valid_lines() -> Iterator[bytes]:
    """Give the record of each valid game."""
    return (record.line(script(name_of(script)).record()) for script in VALID)


def tampered_lines() -> Iterator[bytes]:
    """Give an object for each tampered game: its id, the wrong entry, why it is wrong, and the record."""
    for tampered in (*SETTINGS, *STEPS, *WORDS):
        game = TimedGame(tampered.name, tampered.terms, tampered.seats)
        tampered.script(game)
        wrong = game.seq if tampered.entry is None else tampered.entry
        yield record.line({"id": tampered.name, "entry": wrong, "why": tampered.why, "record": game.record()})
