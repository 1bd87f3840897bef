"""Why goals are met or not, on a table's page: the goals of each display, and one of them explained in words."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from engine import State
from engine.goals import ExplainedGoal, explained
from service.language import goal_words
from service.language.languages import Language

Address = Callable[[str | None], str]
"""A function that returns the page's address with a goal explained, by its name; None: with none."""

_NAME = re.compile(r"([1-9][0-9]?)\.([1-3])")


@dataclass(frozen=True, slots=True)
class GoalRow:
    """A goal in a list, for a page that explains it.

    Attributes:
        goal: its short name, such as `34.2`.
        counting: the ids of the tiles that count for it.
        name: which it is, in words.
        summary: how it stands.
        address: the page's address that explains it.
        is_explained: whether the page explains it already.
    """

    goal: str
    counting: tuple[int, ...]
    name: str
    summary: str
    address: str
    is_explained: bool


@dataclass(frozen=True, slots=True)
class Explanation:
    """A goal explained: which it is, how it stands, a paragraph for each color, and the numbers of the rules."""

    name: str
    summary: str
    colors: tuple[str, ...]
    rules: tuple[str, ...]


def goal_asked_for(asked: str, state: State) -> ExplainedGoal | None:
    """Return the goal that a text such as `34.2` names, if a tile on a display has it; else None."""
    if not _NAME.fullmatch(asked):
        return None
    goals = (goal for seat in range(state.seats) for goal in explained(state, seat))
    return next((goal for goal in goals if goal.name == asked), None)


def rows(
    state: State, seat: int, language: Language, address: Address, shown: ExplainedGoal | None
) -> tuple[GoalRow, ...]:
    """Return the goals on a seat's display, of which `shown` is explained on the page already."""
    return tuple(
        GoalRow(
            goal.name,
            goal.counting,
            goal_words.name(goal, language),
            goal_words.summary(goal, language),
            address(goal.name),
            shown is not None and goal.name == shown.name,
        )
        for goal in explained(state, seat)
    )


def explanation(goal: ExplainedGoal, language: Language) -> Explanation:
    """Return a goal explained in words."""
    return Explanation(
        goal_words.name(goal, language),
        goal_words.summary(goal, language),
        tuple(goal_words.color(goal, asked, language) for asked in goal.colors),
        goal.rules,
    )
