"""The sentences about goals, in four languages."""

from __future__ import annotations

import pytest

from engine.display import Display, cell_of
from engine.game import Match
from engine.goals import ExplainedGoal, explained
from service.language import goal_words
from service.language.languages import CODES, ENGLISH, language


def goal(*placed: tuple[int, int, int], tile: int, index: int, discs: int = 99) -> ExplainedGoal:
    state = Match(2, 20, tuple(range(1, 69)), (0, 1))
    state.displays[0] = display = Display()
    for each, x, y in placed:
        discs -= len(display.place(each, cell_of(x, y), discs))
    return next(one for one in explained(state, 0) if (one.tile, one.goal) == (tile, index))


def test_a_goal_that_lacks_tiles_is_told() -> None:
    found = goal((34, 0, 0), (1, 1, 0), tile=34, index=0)  # red 7: bt, by, ty; tile 1 is blue
    assert list(goal_words.sentences(found, ENGLISH)) == [
        "Goal 1 of tile 34: It asks for 1 blue and 1 turquoise, and lacks 1 turquoise.",
        "1 blue: 1 tile counts. Tile 1 touches it on the right.",
        "1 turquoise: 0 tiles count. No chain of this color touches it.",
    ]


def test_a_covered_goal_and_one_that_waits_are_told() -> None:
    placed = ((46, 0, 0), (1, 1, 0))  # turquoise 5: rr, b
    assert goal_words.summary(goal(*placed, tile=46, index=1), ENGLISH) == "It asks for 1 blue, and is covered."
    waiting = goal(*placed, tile=46, index=1, discs=0)
    assert goal_words.summary(waiting, ENGLISH) == "It asks for 1 blue and is met, but waits for a goal disc."


def test_a_chain_is_told_with_its_sides_and_the_own_tile() -> None:
    # Tile 31 asks for its own color, red; a chain of three tiles goes around its corner.
    found = goal((31, 0, 0), (29, 1, 0), (30, 1, 1), (32, 0, 1), tile=31, index=1)
    told = " ".join(goal_words.sentences(found, ENGLISH))
    assert "The chain of tiles 29, 30 and 32 touches it on the right and below; each tile counts once." in told
    assert "The tile itself does not count." in told


def test_the_tiles_that_covered_a_goal_are_listed() -> None:
    assert goal_words.by_tiles([5], ENGLISH) == "by tile 5"
    assert goal_words.by_tiles((5, 6, 7), ENGLISH) == "by tiles 5, 6 and 7"


@pytest.mark.parametrize("code", CODES)
def test_each_language_says_all_of_it(code: str) -> None:
    found = goal((31, 0, 0), (29, 1, 0), (30, 1, 1), (32, 0, 1), tile=31, index=1)
    told = " ".join(goal_words.sentences(found, language(code)))
    assert "31" in told and "29, 30" in told and "%" not in told
