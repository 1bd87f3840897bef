"""Moves as record objects and as text: parsing and printing are inverse, and everything else is malformed."""

import doctest
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import moves, text
from engine.errors import MalformedMove
from engine.moves import END, REFILL, RESIGN, TIMEOUT, Mark, Move, Place, from_json, to_json

WHOLE = st.integers(-(2**53 - 1), 2**53 - 1)
DATA = st.recursive(
    st.booleans() | WHOLE | st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    lambda inner: (
        st.lists(inner | st.none(), max_size=3)
        | st.dictionaries(st.text(st.characters(max_codepoint=127), max_size=3), inner | st.none(), max_size=3)
    ),
    max_leaves=5,
)
MARKS = st.builds(Mark, st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=64), DATA)
PLACES = st.builds(Place, st.integers(1, 68), WHOLE, WHOLE)
MOVES = st.sampled_from([REFILL, RESIGN, TIMEOUT, END, Mark("nudge")]) | PLACES | MARKS


@given(MOVES)
def test_text_and_move_are_inverse(move: Move) -> None:
    assert text.parse(text.render(move)) == move
    assert text.render(text.parse(text.render(move))) == text.render(move)


@given(MOVES)
def test_object_and_move_are_inverse(move: Move) -> None:
    assert from_json(to_json(move)) == move


@pytest.mark.parametrize(
    ("spelling", "move"),
    [
        ("17@0,0", Place(17, 0, 0)),
        ("1@-12,3", Place(1, -12, 3)),
        ("refill", REFILL),
        ("resign", RESIGN),
        ("timeout", TIMEOUT),
        ("end", END),
        ("mark nudge", Mark("nudge")),
        ('mark nudge "two or three words"', Mark("nudge", "two or three words")),
        ('mark clock {"hours":24,"left":[1,null]}', Mark("clock", {"hours": 24, "left": [1, None]})),
    ],
)
def test_spellings(spelling: str, move: Move) -> None:
    assert text.parse(spelling) == move
    assert text.render(move) == spelling


@pytest.mark.parametrize(
    "spelling",
    [
        "",
        "17",
        "17@0",
        "17@0,0 ",
        " 17@0,0",
        "17@0, 0",
        "17@+1,0",
        "17@-0,0",
        "17@00,0",
        "017@0,0",
        "0@0,0",
        "69@0,0",
        "17@0.0,0",
        "17@１,0",
        "17@99999999999999999,0",
        "Refill",
        "refill\n",
        "mark",
        "mark ",
        "mark  nudge",
        "mark nudge ",
        "mark nudge null",
        'mark nudge {"b":1, "a":2}',
        'mark nudge {"b":1,"a":2}',
        "mark nudge 1.5",
        "mark nudge [[[[[[[[[1]]]]]]]]]",
        'mark nudge "\\u0041"',
        "mark nudge " + "[" * 100_000,
    ],
)
def test_any_other_spelling_is_malformed(spelling: str) -> None:
    with pytest.raises(MalformedMove) as error:
        text.parse(spelling)
    assert error.value.code == "malformed_move"


@pytest.mark.parametrize("data", ["{", "nudge", "[" * 100_000])
def test_the_data_of_a_mark_is_json(data: object) -> None:
    with pytest.raises(MalformedMove, match=r"^The data of a mark is JSON\.$"):
        text.parse(f"mark nudge {data}")


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        "refill",
        {},
        {"type": "jump"},
        {"type": None},
        {"type": ["place"]},
        {"type": "refill", "tile": 1},
        {"type": "place", "tile": 17, "x": 0},
        {"type": "place", "tile": 17, "x": 0, "y": 0, "z": 0},
        {"type": "place", "tile": 0, "x": 0, "y": 0},
        {"type": "place", "tile": 69, "x": 0, "y": 0},
        {"type": "place", "tile": 17, "x": True, "y": 0},
        {"type": "place", "tile": 17.0, "x": 0, "y": 0},
        {"type": "place", "tile": "17", "x": 0, "y": 0},
        {"type": "place", "tile": 17, "x": 2**53, "y": 0},
        {"type": "mark"},
        {"type": "mark", "kind": ""},
        {"type": "mark", "kind": "two words"},
        {"type": "mark", "kind": 3},
        {"type": "mark", "kind": "k" * 65},
        {"type": "mark", "kind": "nudge", "data": None},
        {"type": "mark", "kind": "nudge", "data": 0.5},
        {"type": "mark", "kind": "nudge", "data": {"ä": 1}},
        {"type": "mark", "kind": "nudge", "data": "\ud800"},
        {"type": "mark", "kind": "nudge", "data": [2**53]},
    ],
)
def test_any_other_object_is_malformed(value: object) -> None:
    with pytest.raises(MalformedMove):
        from_json(value)


def test_moves_are_frozen() -> None:
    moves: tuple[Any, ...] = (Place(17, 0, 0), REFILL, Mark("nudge"))
    for move in moves:
        with pytest.raises((AttributeError, TypeError)):
            move.tile = 18


@pytest.mark.parametrize("module", [text, moves])
def test_docstrings_run(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0
