"""The history of a game for its page: what each move did, and the table after any of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from service.language.people import People
from service.language.story import happening
from service.queries import replay
from service.queries.replay import Replay
from service.queries.table import LoadedTable


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One move in words."""

    seq: int
    at: datetime
    sentence: str


class Navigation(NamedTuple):
    """The versions that the page links to from one moment; None where there is nothing to go to."""

    first: int | None
    back: int | None
    on: int | None
    last: int | None


@dataclass(frozen=True, slots=True)
class Moment:
    """A game after some of its moves.

    Marks are left out, since nothing happens at the table by them: no link leads to one.

    Attributes:
        game: the replay up to this moment.
        told: the moves up to this moment.
        later: the moves after it.
    """

    game: Replay
    told: tuple[HistoryEntry, ...]
    later: tuple[HistoryEntry, ...]

    @property
    def version(self) -> int:
        """The number of the last move up to this moment, 0 at the start."""
        return self.told[-1].seq if self.told else 0

    @property
    def ways(self) -> Navigation:
        """The links from this moment to others."""
        return Navigation(
            first=0 if self.told else None,
            back=self.told[-2].seq if len(self.told) > 1 else (0 if self.told else None),
            on=self.later[0].seq if self.later else None,
            last=self.later[-1].seq if self.later else None,
        )


def moment(table: LoadedTable, people: People, at: int | None) -> Moment:
    """Return a started table after the move `at` (None: after the last), replaying its log once."""
    assert table.header is not None
    game = replay.start(table.header, table.tiles)
    shown = game if at is None else game.clone()
    told: list[HistoryEntry] = []
    for entry in table.entries:
        step = game.advance(entry)
        if entry.seq == at:
            shown = game.clone()
        sentence = happening(step, people)
        if sentence is not None:
            told.append(HistoryEntry(entry.seq, entry.at, sentence))
    return Moment(shown, *_parted(told, at))


def _parted(told: Sequence[HistoryEntry], at: int | None) -> tuple[tuple[HistoryEntry, ...], tuple[HistoryEntry, ...]]:
    if at is None:
        return tuple(told), ()
    return tuple(one for one in told if one.seq <= at), tuple(one for one in told if one.seq > at)
