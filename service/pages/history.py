"""The history of a game as its page shows it: what each move did, and the table as it was after one of them. Pure."""

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
class Told:
    """One move in words."""

    seq: int
    at: datetime
    sentence: str


class Ways(NamedTuple):
    """From one moment to others, each by its version; None where there is nothing to go to."""

    first: int | None
    back: int | None
    on: int | None
    last: int | None


@dataclass(frozen=True, slots=True)
class Moment:
    """A game after some of its moves. `told` are those that were made until then, `later` those that followed.

    Marks are told nowhere, since nothing happens at the table by them: no way leads to one.
    """

    game: Replay
    told: tuple[Told, ...]
    later: tuple[Told, ...]

    @property
    def version(self) -> int:
        """The number of the last move that was made until then, 0 at the start."""
        return self.told[-1].seq if self.told else 0

    @property
    def ways(self) -> Ways:
        """Where to go from here."""
        return Ways(
            first=0 if self.told else None,
            back=self.told[-2].seq if len(self.told) > 1 else (0 if self.told else None),
            on=self.later[0].seq if self.later else None,
            last=self.later[-1].seq if self.later else None,
        )


def moment(table: LoadedTable, people: People, at: int | None) -> Moment:
    """A started table after the move `at`, None: as it is. The log is gone through once."""
    assert table.header is not None
    game = replay.start(table.header, table.tiles)
    shown = game if at is None else game.clone()
    told: list[Told] = []
    for entry in table.entries:
        step = game.advance(entry)
        if entry.seq == at:
            shown = game.clone()
        sentence = happening(step, people)
        if sentence is not None:
            told.append(Told(entry.seq, entry.at, sentence))
    return Moment(shown, *_parted(told, at))


def _parted(told: Sequence[Told], at: int | None) -> tuple[tuple[Told, ...], tuple[Told, ...]]:
    if at is None:
        return tuple(told), ()
    return tuple(one for one in told if one.seq <= at), tuple(one for one in told if one.seq > at)
