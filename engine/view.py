"""The view of a table that a seat is allowed to see.

Nova Luna hides one thing: the order of the draw pile. Everybody sees all the rest, so one view serves every seat. Bots
are given this view, never the state.
"""

from __future__ import annotations

from engine.display import Display
from engine.game import Match
from engine.result import Result
from engine.solo import Solo
from engine.table import Table
from engine.track import MoonTrack


class TableView:
    """A table as its players see it; it reads the state that it was made from, and so changes with it."""

    __slots__ = ("_table",)

    def __init__(self, table: Table) -> None:
        self._table = table

    @property
    def kind(self) -> str:
        """The kind of game: "match" or "solo"."""
        return self._table.kind

    @property
    def seats(self) -> int:
        """The number of seats."""
        return self._table.seats

    @property
    def turn(self) -> int | None:
        """The seat to move; None when the game is over."""
        return self._table.turn

    @property
    def result(self) -> Result | None:
        """The result; None while the game runs."""
        return self._table.result

    @property
    def marker(self) -> int:
        """The space of the marker, 0 to 11."""
        return self._table.wheel.marker

    @property
    def spaces(self) -> list[int]:
        """The twelve spaces of the selection track: the tile's id, or 0 for an empty one."""
        return self._table.wheel.spaces()

    @property
    def choices(self) -> list[int]:
        """The ids of the next three tiles clockwise from the marker, nearest first."""
        return self._table.wheel.choices()

    @property
    def pile_size(self) -> int:
        """The number of tiles in the draw pile."""
        return self._table.wheel.pile_size

    @property
    def shown(self) -> tuple[int, ...]:
        """The ids of the tiles that have come out so far, in draw order."""
        return self._table.wheel.tiles[: self._table.wheel.shown]

    @property
    def displays(self) -> list[Display]:
        """The displays by seat; clone one before changing it."""
        return self._table.displays

    @property
    def discs_left(self) -> list[int]:
        """The goal discs left by seat."""
        return self._table.discs_left

    @property
    def moon(self) -> MoonTrack | None:
        """The moon track; None in solo (5.1)."""
        return self._table.moon if isinstance(self._table, Match) else None

    @property
    def phase(self) -> int | None:
        """The phase of a solo, 1 or 2; None in a match."""
        return self._table.phase if isinstance(self._table, Solo) else None

    @property
    def first_total(self) -> int | None:
        """The first total of a solo (5.3), once phase 2 has begun."""
        return self._table.first_total if isinstance(self._table, Solo) else None
