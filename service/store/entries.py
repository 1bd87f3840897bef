"""A sequence of log entries, stored as the columns that a statement returns. This module is on the hot path.

A replay needs only the seat and the move of each entry, so the entries themselves are made on demand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import overload

from service.store.log import Entry

AGGREGATED = """
       string_agg(timestamptz_send(at), '') AS times, array_agg(seat) AS seats,
       string_agg(by, E'\\n') AS bys, string_agg(move, E'\\n') AS moves"""
"""The columns, aggregated from rows in the order of the log. Neither a move nor a `by` contains a line feed."""

AS_JSON = """
       encode(string_agg(timestamptz_send(at), ''), 'hex'), array_agg(seat), string_agg(by, E'\\n'),
       string_agg(move, E'\\n')"""
"""The same columns in the form that JSON can contain, for `Entries.from_json`."""

_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_WIDTH = 8
"""The bytes of a time as Postgres sends it: microseconds since `_EPOCH`."""


class Entries(Sequence[Entry]):
    """The entries after the one with the seq `after`; the columns `seats` and `moves` can be used directly."""

    __slots__ = ("_after", "_bys", "_times", "moves", "seats")

    def __init__(self, after: int, times: bytes, seats: list[int | None], bys: list[str], moves: list[str]) -> None:
        self._after, self._times, self._bys = after, times, bys
        self.seats, self.moves = seats, moves

    @classmethod
    def read(cls, after: int, times: bytes | None, seats: list[int | None], bys: str, moves: str) -> Entries:
        """Make a sequence from the columns of a row; `times` is None if there are no entries."""
        return (
            cls(after, b"", [], [], [])
            if times is None
            else cls(after, times, seats, bys.split("\n"), moves.split("\n"))
        )

    @classmethod
    def from_json(cls, after: int, times: str | None, seats: list[int | None], bys: str, moves: str) -> Entries:
        """Make a sequence from the values of `AS_JSON`."""
        return cls.read(after, None if times is None else bytes.fromhex(times), seats, bys, moves)

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
        """Return a copy with one entry appended."""
        since = (entry.at - _EPOCH) // timedelta(microseconds=1)
        times = self._times + since.to_bytes(_WIDTH, "big", signed=True)
        return Entries(self._after, times, [*self.seats, entry.seat], [*self._bys, entry.by], [*self.moves, entry.move])

    def _entry(self, place: int) -> Entry:
        begin = place * _WIDTH
        since = int.from_bytes(self._times[begin : begin + _WIDTH], "big", signed=True)
        at = _EPOCH + timedelta(microseconds=since)
        return Entry(self._after + place + 1, at, self.seats[place], self._bys[place], self.moves[place])


NONE = Entries(0, b"", [], [], [])
"""An empty sequence."""
