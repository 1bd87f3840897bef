"""Find the seats that bots play, from a game's log alone, since a record does not name them anywhere else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

OWN = ("place", "refill", "resign")
"""The moves that a player makes."""

_PERSONS = ("clock.nudge", "clock.grace", "clock.autopilot", "clock.more", "clock.back", "clock.keep")
"""The marks that only a person's seat has, because no clock runs for a bot and a bot sends no words."""


class BotSeats(NamedTuple):
    """The seats of a game by who plays them; for a seat in neither set the log does not show it.

    Attributes:
        bots: the seats that never move themselves, where a bot's move comes before any mark of a person.
        persons: the seats that move themselves, and those where a person's mark, or the giving of time, comes first.
    """

    bots: frozenset[int]
    persons: frozenset[int]


def bot_seats(log: Iterable[Any]) -> BotSeats:
    """Return the seats of a log that bots play, and which bots; its entries need not be verified yet."""
    by_bot: set[int] = set()
    by_person: set[int] = set()
    marked: set[int] = set()
    for seat, kind, by, given_by in _acts(log):
        if kind in OWN and by is None:
            by_person.add(seat)
        elif kind in OWN and seat not in marked:
            by_bot.add(seat)
        elif kind in _PERSONS and by is None:
            marked |= {seat, *given_by} - by_bot
    return BotSeats(bots=frozenset(by_bot - by_person), persons=frozenset(by_person | marked))


def _acts(log: Iterable[Any]) -> Iterator[tuple[int, str, str | None, list[int]]]:
    """Yield the seat, the type of the move or the kind of the mark, `by` and `given_by`, of each entry with a seat."""
    for entry in log:
        move = entry.get("move") if isinstance(entry, dict) else None
        if not isinstance(move, dict) or type(entry.get("seat")) is not int:
            continue
        kind = move.get("kind") if move.get("type") == "mark" else move.get("type")
        if isinstance(kind, str):
            data = move.get("data")
            given_by = data.get("given_by") if isinstance(data, dict) else None
            seats = [seat for seat in given_by if type(seat) is int] if isinstance(given_by, list) else []
            yield entry["seat"], kind, entry.get("by"), seats
