"""The history of a game for its page: what each move did, and the table after any of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from engine.changes import Change, changes
from engine.moves import Mark
from engine.text import parse
from service.language.happenings import happening
from service.language.people import People
from service.queries import replay
from service.queries.replay import Replay
from service.queries.table import LoadedTable
from service.store.log import Entry


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """An entry in words; `is_move` is whether it changed the table, so that a link to the table after it is useful."""

    seq: int
    at: datetime
    sentence: str
    is_move: bool


class Navigation(NamedTuple):
    """The versions that the page links to from one moment; None where there is nothing to go to."""

    first: int | None
    back: int | None
    on: int | None
    last: int | None


@dataclass(frozen=True, slots=True)
class Moment:
    """A game after some of its moves.

    A mark changes nothing at the table: it is told, but it is no moment of its own, and no link leads to it.

    Attributes:
        game: the replay up to this moment.
        told: the entries up to this moment.
        later: the moves after it.
        changes: what the last move up to this moment changed.
    """

    game: Replay
    told: tuple[HistoryEntry, ...]
    later: tuple[HistoryEntry, ...]
    changes: tuple[Change, ...] = ()

    @property
    def version(self) -> int:
        """The number of the last move up to this moment, 0 at the start."""
        return self._moves[-1] if self._moves else 0

    @property
    def move(self) -> HistoryEntry | None:
        """The last move up to this moment; None at the start."""
        return next((one for one in reversed(self.told) if one.is_move), None)

    @property
    def marks(self) -> tuple[HistoryEntry, ...]:
        """The marks that followed the last move up to this moment."""
        version = self.version
        return tuple(one for one in self.told if one.seq > version)

    @property
    def ways(self) -> Navigation:
        """The links from this moment to others."""
        moves = self._moves
        return Navigation(
            first=0 if moves else None,
            back=moves[-2] if len(moves) > 1 else (0 if moves else None),
            on=self.later[0].seq if self.later else None,
            last=self.later[-1].seq if self.later else None,
        )

    @property
    def _moves(self) -> list[int]:
        return [one.seq for one in self.told if one.is_move]


def moment(table: LoadedTable, people: People, at: int | None) -> Moment:
    """Return a started table after the move `at` (None: after the last), replaying its log once.

    The table has the replay of all its entries then.
    """
    assert table.header is not None
    game = replay.start(table.header, table.tiles)
    shown = game if at is None else game.clone()
    told: list[HistoryEntry] = []
    made: tuple[Change, ...] = ()
    last = _last_move(table.entries if at is None else table.entries[:at])
    for entry in table.entries:
        before = game.state.clone() if entry.seq == last else None
        step = game.advance(entry)
        if before is not None:
            made = changes(before, step)
        if entry.seq == at:
            shown = game.clone()
        sentence = happening(step, people, entry.by, step.covered_by)
        if sentence is not None:
            told.append(HistoryEntry(entry.seq, entry.at, sentence, not isinstance(step.move, Mark)))
    table.replay = game
    return Moment(shown, *_parted(told, at), made)


def _last_move(entries: Sequence[Entry]) -> int:
    """Return the number of the last entry that is not a mark; 0 if there is none."""
    return next((entry.seq for entry in reversed(entries) if not isinstance(parse(entry.move), Mark)), 0)


def _parted(told: Sequence[HistoryEntry], at: int | None) -> tuple[tuple[HistoryEntry, ...], tuple[HistoryEntry, ...]]:
    later = tuple(one for one in told if one.is_move and at is not None and one.seq > at)
    if at is None or not later:
        return tuple(told), ()
    return tuple(one for one in told if one.seq <= at), later
