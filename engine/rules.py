"""The rules by version (docs/RULINGS.md): which classes play a game.

A game's header names the version that it is played by, from its first move on and for ever. A version that games were
played by is neither changed nor removed: what changes becomes a version of its own, at the end of `VERSIONS`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from engine.errors import UnknownRules
from engine.game import FEWEST, MOST, Match
from engine.solo import DISCS, Solo


class Rules(NamedTuple):
    """One version of the rules.

    Attributes:
        version: its name, as in a game's header.
        match: makes a match at its start from the number of seats, the goal discs of each, the tiles and the stack.
        solo: makes a solo at its start from the tiles.
        goal_discs: the numbers of goal discs that a player of a match can have.
        solo_discs: the number of discs of a solo.
    """

    version: str
    match: Callable[[int, int, Sequence[int], Sequence[int]], Match] = Match
    solo: Callable[[Sequence[int]], Solo] = Solo
    goal_discs: range = range(FEWEST, MOST + 1)
    solo_discs: int = DISCS


FIRST = "1"
"""The version of a text that names none."""

VERSIONS: dict[str, Rules] = {FIRST: Rules(FIRST)}
"""All versions by name, the newest last. A game that starts now is played by that one."""


def of(version: object) -> Rules:
    """Return the rules of a version.

    Raises:
        UnknownRules: there is no such version.
    """
    found = VERSIONS.get(version) if isinstance(version, str) else None
    if found is None:
        raise UnknownRules(version, tuple(VERSIONS))
    return found


def newest() -> Rules:
    """Return the rules by which a game is played that starts now."""
    return next(reversed(VERSIONS.values()))
