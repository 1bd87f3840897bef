"""A text of the largest size that is read costs a few seconds of CPU at most, and twice the text twice as much.

Each unit is repeated in each place of a text, over many lines and in one as long as allowed.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from engine import simulate
from engine.notation import Refusal, from_record, read, text
from engine.notation.source import MOST_BYTES, MOST_CHARACTERS
from tests.drills.worst.cost import MOST, cpu, dear
from tests.drills.worst.units import ALL

pytestmark = pytest.mark.drill

_TAGS = b'[Tiles "1 2 3 4 5 6 7 8 9 10 11"]\n'
PLACES = (
    b"", b"1. A ", b"17@0,0 ", b"17 ", b"17 left ", b"mark x ", b"mark x data ", b"= discs ",
    b'[Stack "A ', b'[Tiles "1 ', b'[A "', b"[", b"*", b"17@0,0 +1.1", b"17@0,0 >1", b"17@0,0 at ", b"17@0,0 by ", b"#",
    b" " * 200, b"12345678901234",
)  # fmt: skip
UNITS = (
    *ALL, b"A ", b"+1.1,", b">1,", b" , ", b"+1.1 ", b"by ", b"at ", b"data ", b"mark ", b"\\u{a}", b"2026-11-27 ",
    b"[[", "\u2212".encode(), b"left ", b"of ", b"above ", b"A:0 ", b"first 1 ",
    b"!?", b"1. ", b'\\"', b'{"a":', b"\xc2\x85",
)  # fmt: skip

_WHOLE = 8.0
"""Seconds of CPU for the largest texts whose every line means something: a variation of a few bytes needs a copy."""


def _attempt(data: bytes) -> None:
    try:
        read(data)
    except Refusal:
        pass


@pytest.mark.parametrize("place", PLACES, ids=lambda place: repr(place)[:20])
def test_no_unit_costs_much_in_any_place(place: bytes, amount: Callable[..., int]) -> None:
    def many(size: int, unit: bytes) -> None:
        # Its last character keeps blanks from being at the end of the line, where they are stripped.
        line = (place + unit * (MOST_CHARACTERS // len(unit)))[: MOST_CHARACTERS - 2] + b"x\n"
        _attempt(_TAGS + line + b"*\n")
        _attempt((line * (MOST_BYTES // len(line)))[:size])

    units = UNITS[:: amount(1, 12)]
    costs = {unit: dear(lambda size, unit=unit: many(size, unit), MOST_BYTES) for unit in units}  # type: ignore[misc]
    assert [f"{unit[:20]!r}: {cost:.2f} s" for unit, cost in costs.items() if cost is not None] == []


@pytest.mark.parametrize("result", [b"*", b"*x", b"=", b"= discs"])
@pytest.mark.parametrize("unit", [b" \t", b"# ", b"x ", b" x"])
def test_a_long_line_of_a_result_is_cheap(result: bytes, unit: bytes) -> None:
    line = result + unit * (MOST_CHARACTERS // len(unit) - 8) + b"x\n"
    assert cpu(lambda: _attempt(_TAGS + line)) < MOST


LINES: dict[str, bytes] = {
    "empty lines": b"\n",
    "comments": b"#\n",
    "marks": b"mark a\n",
    "marks with data": b"mark a data [1]\n",
    "tags": b'[X%d "a"]\n',
    "variations": b"1 0 0\n(\n2 0 0\n)\n",
}


@pytest.mark.long
@pytest.mark.parametrize("name", LINES)
def test_the_largest_texts_are_read_in_seconds(name: str) -> None:
    line = LINES[name]
    count = (MOST_BYTES - 100) // (len(line) + 4)
    if name == "tags":
        data = b"".join(line % number for number in range(count)) + _TAGS + b"*\n"
    elif name == "variations":
        data = _TAGS + b"1 0 0\n" + b"(\n2 0 0\n)\n" * (MOST_BYTES // 11) + b"*\n"
    else:
        data = _TAGS + line * count + b"*\n"
    assert len(data) <= MOST_BYTES
    half = cpu(lambda: _attempt(data[: len(data) // 2]))
    whole = cpu(lambda: read(data))
    assert whole < _WHOLE, (half, whole)


@pytest.mark.long
def test_the_most_variations_of_a_late_move_are_read_in_seconds() -> None:
    printed = text(from_record(json.loads(next(simulate.records(1, 1, "worst", "random")))), times=False)
    *log, result = printed.splitlines()
    variation = f"(\n{log[-1].split()[2]}\n)\n"
    room = MOST_BYTES - len(printed) - 10
    data = "\n".join(log) + "\n" + variation * (room // len(variation)) + result + "\n"
    assert cpu(lambda: read(data.encode())) < _WHOLE
