"""Tell which seats of a game are played by bots from its log alone: a record does not say it anywhere else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

OWN = ("place", "refill", "resign")
"""The moves that a player makes."""

_PERSONS = ("clock.nudge", "clock.grace", "clock.autopilot", "clock.more", "clock.back", "clock.keep")
"""The marks whose seat is a person's, because no clock runs for a bot and a bot says nothing."""


class BotSeats(NamedTuple):
    """The seats of a game by who plays them; of a seat that is in neither, the log tells nothing.

    Attributes:
        bots: the seats without a move of their own of which a bot's move is the first sign.
        persons: the seats with a move of their own, and those of which a person's mark is the first sign.
    """

    bots: frozenset[int]
    persons: frozenset[int]


def bot_seats(log: Iterable[Any]) -> BotSeats:
    """Return who plays the seats of a log, of which no entry has to be verified yet."""
    by_bot: set[int] = set()
    by_person: set[int] = set()
    marked: set[int] = set()
    for seat, kind, by in _acts(log):
        if kind in OWN and by is None:
            by_person.add(seat)
        elif kind in OWN and seat not in marked:
            by_bot.add(seat)
        elif kind in _PERSONS and by is None and seat not in by_bot:
            marked.add(seat)
    return BotSeats(bots=frozenset(by_bot - by_person), persons=frozenset(by_person | marked))


def _acts(log: Iterable[Any]) -> Iterator[tuple[int, str, str | None]]:
    """Yield seat, type of the move or kind of the mark, and `by` of the entries that have a seat."""
    for entry in log:
        move = entry.get("move") if isinstance(entry, dict) else None
        if not isinstance(move, dict) or type(entry.get("seat")) is not int:
            continue
        kind = move.get("kind") if move.get("type") == "mark" else move.get("type")
        if isinstance(kind, str):
            yield entry["seat"], kind, entry.get("by")
