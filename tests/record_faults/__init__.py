"""Records with one fault each, and the first bad entry and the code that any verifier must give."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from tests.record_faults.faults import faults
from tests.record_faults.games import GAMES

FILE = Path(__file__).parents[1] / "data" / "tampered-records.jsonl"


def lines() -> Iterator[str]:
    """Yield the lines of the file."""
    for turn, record in enumerate(GAMES):
        for fault in faults(record, turn):
            yield json.dumps(fault._asdict(), ensure_ascii=False, sort_keys=True) + "\n"
