"""A stretch of a log as a statement brings it, column by column: this module is on the hot path.

A replay needs of each entry who moved and how, of one or two the rest too. So an entry is made when somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import overload

from service.store.log import Entry

AGGREGATED = """
       string_agg(timestamptz_send(at), '') AS times, array_agg(seat) AS seats,
       string_agg(by, E'\\n') AS bys, string_agg(move, E'\\n') AS moves"""
"""The columns, of rows in the order of the log. A move in its notation has no line break, nor has who made it."""

_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_WIDTH = 8
"""A moment as Postgres sends it: microseconds since then, in so many bytes."""


class Entries(Sequence[Entry]):
    """The entries that follow the one with the seq `after`; of their columns `seats` and `moves` can be had as they are."""

    __slots__ = ("_after", "_bys", "_times", "moves", "seats")

    def __init__(self, after: int, times: bytes, seats: list[int | None], bys: list[str], moves: list[str]) -> None:
        self._after, self._times, self._bys = after, times, bys
        self.seats, self.moves = seats, moves

    @classmethod
    def read(cls, after: int, times: bytes | None, seats: list[int | None], bys: str, moves: str) -> Entries:
        """From the columns of a row; the first is None where there were no entries."""
        return (
            cls(after, b"", [], [], [])
            if times is None
            else cls(after, times, seats, bys.split("\n"), moves.split("\n"))
        )

    def __len__(self) -> int:
        return len(self.moves)

    def __iter__(self) -> Iterator[Entry]:
        return map(self._entry, range(len(self.moves)))

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Entry, ...]: ...
    def __getitem__(self, index: int | slice) -> Entry | tuple[Entry, ...]:
        places = range(len(self.moves))[index]
        return self._entry(places) if isinstance(places, int) else tuple(map(self._entry, places))

    def and_then(self, entry: Entry) -> Entries:
        """These and one more."""
        since = (entry.at - _EPOCH) // timedelta(microseconds=1)
        times = self._times + since.to_bytes(_WIDTH, "big", signed=True)
        return Entries(self._after, times, [*self.seats, entry.seat], [*self._bys, entry.by], [*self.moves, entry.move])

    def _entry(self, place: int) -> Entry:
        begin = place * _WIDTH
        since = int.from_bytes(self._times[begin : begin + _WIDTH], "big", signed=True)
        at = _EPOCH + timedelta(microseconds=since)
        return Entry(self._after + place + 1, at, self.seats[place], self._bys[place], self.moves[place])


NONE = Entries(0, b"", [], [], [])
"""No entries."""
