"""Replay a game from what is stored: header, draw order and entries in, state and steps out. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from time import perf_counter
from typing import Any

from engine import State, record, text
from engine.draw import Draw
from engine.table import Step
from service import metrics
from service.store.entries import Entries
from service.store.log import Entry


@dataclass(slots=True)
class Replay:
    """A game after some of its entries.

    Attributes:
        state: the state, owned by this replay; clone it before advancing it.
        last: the last entry and what it did; None at the start.
        turn_since: when the seat to move became the seat to move, or the start of the game.
    """

    state: State
    last: tuple[Entry, Step] | None
    turn_since: datetime

    @property
    def version(self) -> int:
        """The seq of the last entry; 0 at the start."""
        return self.last[0].seq if self.last else 0

    def advance(self, entry: Entry) -> Step:
        """Make the move of one more entry, in place.

        Raises:
            engine.errors.MoveError: the entry is no possible move.
        """
        step = self.state.advance(entry.seat, text.parse(entry.move))
        if step.turn_passed:
            self.turn_since = entry.at
        self.last = entry, step
        return step

    def follow(self, entries: Sequence[Entry]) -> None:
        """Make the moves of several entries, as `advance` does."""
        seats, moves = _columns(entries)
        turn, step, passed = self.state.turn, None, None
        for place, step in enumerate(map(self.state.advance, seats, map(text.parse, moves))):
            if step.turn != turn and step.turn is not None:  # as `Step.turn_passed`, without a call for each step
                turn, passed = step.turn, place
        if step is not None:
            self.last = entries[-1], step
        if passed is not None:
            self.turn_since = entries[passed].at

    def clone(self) -> Replay:
        """Return a copy that can be advanced independently."""
        return Replay(self.state.clone(), self.last, self.turn_since)


def _columns(entries: Sequence[Entry]) -> tuple[Sequence[int | None], Sequence[str]]:
    if isinstance(entries, Entries):
        return entries.seats, entries.moves
    return [entry.seat for entry in entries], [entry.move for entry in entries]


@lru_cache(maxsize=1024)
def draw_order(server_seed: bytes, subject: str, entropy: tuple[str, ...]) -> tuple[int, ...]:
    """Return all 68 tiles in draw order. The result is cached, as every replay of a game needs it."""
    return Draw(server_seed, subject, entropy).tiles


def start(header: dict[str, Any], tiles: tuple[int, ...]) -> Replay:
    """Return a game at its start, from the record's header and its draw order."""
    return Replay(record.start(header, tiles), None, record.moment(header["game"]["started_at"]))


def replay(header: dict[str, Any], tiles: tuple[int, ...], entries: Sequence[Entry]) -> Replay:
    """Return a game after these entries."""
    began = perf_counter()
    game = start(header, tiles)
    game.follow(entries)
    metrics.replayed(perf_counter() - began)
    return game


def chained(head: str, entries: Iterable[Entry]) -> str:
    """Return the head of the hash chain after these entries, in hex; `head` is the one before them."""
    for entry in entries:
        at, move = record.stamp(entry.at), text.parse(entry.move)
        head = record.entry(entry.seq, at, entry.seat, move, entry.by, head)["hash"]
    return head


def steps(header: dict[str, Any], tiles: tuple[int, ...], entries: Iterable[Entry]) -> Iterator[tuple[Entry, Step]]:
    """Yield each entry with what it did.

    The `state` of a step is the running state: it is valid only until the next step is taken.
    """
    game = start(header, tiles)
    for entry in entries:
        yield entry, game.advance(entry)
