"""A game as its text describes it: how it began, its entries with comments and variations, and its result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from engine import State, rules
from engine.draw import Draw
from engine.moves import Move
from engine.result import Result

SEATS = "ABCD"
"""The letters of the seats, from seat 0; `-` is nobody."""

_NONE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the log, or one move of a variation.

    Attributes:
        seq: its number.
        seat: whose entry it is; None for an end and for the host's marks.
        move: the move.
        by: who acted, if it was not the player.
        at: when, in a record's form; None if the text has no times, and in variations.
        sign: an annotation such as `!?`, or an empty text.
        covered: the goals it covered, as (tile, index), in the order of covering.
        put_out: the tiles that a refill put out, in order.
        notes: the comments and variations that follow it, in their order.
    """

    seq: int
    seat: int | None
    move: Move
    by: str | None = None
    at: str | None = None
    sign: str = ""
    covered: tuple[tuple[int, int], ...] = ()
    put_out: tuple[int, ...] = ()
    notes: tuple[str | Variation, ...] = ()


@dataclass(frozen=True, slots=True)
class Variation:
    """A line of play that could have replaced an entry: comments, and then moves."""

    comments: tuple[str, ...]
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Setup:
    """The start of a game: its players, its draw and its times, from the tags of a text.

    Attributes:
        game: the game's id, if the text names it.
        names: the players' names by seat; None where there is none.
        created: when the game was made, in a record's form.
        started: when it started.
        subject: the draw's subject: the game's id, unless the draw is shared.
        commitment: the commitment to the seed; if the text has the seed alone, it follows from that.
        entropy: the texts that the players gave to the draw, by seat.
        stack: the starting pile, bottom first.
        tiles: the tiles in draw order, as far as known.
        own: the tags that begin with X, by name.
        rules: the version of the rules that it is played by.
    """

    game: str | None
    seats: int
    discs: int
    names: tuple[str | None, ...]
    created: str | None
    started: str | None
    subject: str | None
    commitment: str | None
    entropy: tuple[str, ...]
    seed: bytes | None
    stack: tuple[int, ...]
    tiles: tuple[int, ...]
    own: Mapping[str, str] = field(default_factory=lambda: _NONE)
    rules: str = rules.FIRST

    def start(self) -> State:
        """Return the state at the start of the game."""
        played = rules.of(self.rules)
        if self.seats == 1:
            return played.solo(self.tiles)
        return played.match(self.seats, self.discs, self.tiles, self.stack)

    def draw(self) -> Draw | None:
        """Return the draw, if its seed and its subject are known."""
        if self.seed is None or self.subject is None:
            return None
        return Draw(self.seed, self.subject, self.entropy)


@dataclass(frozen=True, slots=True)
class NotatedGame:
    """A game in the text notation.

    Attributes:
        setup: how it began.
        comments: the comments before its first entry.
        entries: its log.
        result: how it ended; None while it is running.
        shown: how many tiles have come out.
        head: the hash of the last entry, or of the header; None unless the text is complete.
    """

    setup: Setup
    comments: tuple[str, ...]
    entries: tuple[Entry, ...]
    result: Result | None
    shown: int
    head: str | None = None

    @property
    def timed(self) -> bool:
        """True if the text has all times."""
        times = (self.setup.created, self.setup.started, *(entry.at for entry in self.entries))
        return None not in times

    @property
    def complete(self) -> bool:
        """True if the record follows from the text: with all times, the game's id and the commitment."""
        return self.timed and self.setup.game is not None and self.setup.commitment is not None
