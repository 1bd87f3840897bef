"""Texts of the vectors, by short names, for tests that change them."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.notation import Refusal, errors, read

DATA = Path(__file__).parents[3] / "data"
VECTORS: dict[str, dict[str, Any]] = {
    each["name"]: each for each in map(json.loads, (DATA / "notation-vectors.jsonl").read_text().splitlines())
}
COMPLETE = str(VECTORS["a match from a record"]["input"])
ALONE = str(VECTORS["the moves alone, as one types them"]["input"])
KITCHEN = str(VECTORS["a game noted at the kitchen table: eleven tiles, and what each refill puts out"]["input"])
RUNNING = str(VECTORS["a running game"]["input"])
SHARED = str(VECTORS["over, on a draw that is still open"]["input"])
SOLO = str(VECTORS["a whole solo"]["input"])
ENDED = str(VECTORS["ended by the host"]["input"])
VARIED = str(VECTORS["variations, one in another"]["canonical"])
SEEDED = str(VECTORS["seed in place of tiles and starting pile"]["input"])

EMPTY = '[Tiles "1 2 3 4 5 6 7 8 9 10 11"]\n'
"""The tags of a solo that has not begun."""


def changed(source: str, old: str, new: str) -> str:
    """Return a text with its first occurrence of something replaced."""
    assert old in source, old
    return source.replace(old, new, 1)


def refused(source: str | bytes) -> tuple[int, str]:
    """Return the line and the code with which a text is refused."""
    with pytest.raises(Refusal) as error:
        read(source if isinstance(source, bytes) else source.encode())
    assert error.value.code in errors.CODES and error.value.detail
    return error.value.line, error.value.code
