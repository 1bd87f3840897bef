"""A table loaded from the database: its row, players, set-up and log, and the game that they give.

`service.queries.table` loads it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from engine import State, record, rules
from engine.bots import signed
from engine.clock.terms import Terms
from engine.phrases import Phrase
from engine.table import Step
from service.clocks.game_clock import GameClock
from service.clocks.seats import SeatFacts
from service.queries import clock_values, replay
from service.queries.replay import Replay
from service.queries.table_access import TableAccess
from service.store.entries import NONE, Entries
from service.store.log import HEAD_DIGITS, Entry, Progress


class TableRow(NamedTuple):
    """The row of a table.

    Times are in UTC. `kind` is `match` or `solo`, `visibility` is `public` or `private`, and `hints` is whether mails
    may say where tiles would cover goals. `clock` is the data of the mark `clock` as RFC 8785 text, None for no clock;
    `abandoned_after` is a duration. `facts` counts the changes of those fields of `Player` that nobody else may see.
    """

    key: int
    id: str
    kind: str
    seats: int
    goal_discs: int
    visibility: str
    maker: str
    commitment: bytes
    created_at: datetime
    revision: int
    closed_at: datetime | None
    closed_because: str | None
    hints: bool = True
    clock: str | None = None
    abandoned_after: str = "P90D"
    facts: int = 0


class Player(NamedTuple):
    """A player at a table. `name` is None if unset or erased.

    `reachable` is false while mail to them is stopped, and None once the account was erased. A bot has no account, and
    its signature as its name (`engine.bots.signature`), which no person can have.
    `zone`, `quiet` and `absences` are those of the account, the last two as JSON text or None (`seat_facts`).
    """

    seat: int
    account: str | None
    name: str | None
    entropy: str
    joined_at: datetime
    reachable: bool | None = True
    zone: str = "UTC"
    quiet: str | None = None
    absences: str | None = None

    @property
    def public_id(self) -> str | None:
        """The id by which others know the player; None once the account was erased, and for a bot."""
        return None if self.reachable is None else self.account

    @property
    def bot(self) -> str | None:
        """The name of the bot that plays the seat from the start, or None for a person."""
        return signed(self.name)

    @property
    def facts(self) -> SeatFacts:
        """The facts of the seat, from the player's present settings."""
        return clock_values.facts(self.zone, self.quiet, self.absences, self.bot is not None)


_SHOWN = Player._fields.index("zone")
"""How many fields of a player others may see; an ETag must not even allow a guess at their quiet times."""


@dataclass
class LoadedTable:
    """A table with its players by seat and, once it has started, its header, progress and log.

    `entries` is the whole log; or, if there is a `base`, the entries after it; or empty, if the log was left out. A
    `base` is a replay made earlier, which is never advanced. `replay` is made on first use and cached. `caution` is
    what its pictures say lest they be taken for those of a game of this service: of an import or an exploration. The
    value belongs to one request or job and must not be shared between threads.
    """

    table: TableRow
    players: tuple[Player, ...]
    header: dict[str, Any] | None
    progress: Progress | None
    server_seed: bytes = field(repr=False)
    entries: Entries
    base: Replay | None = None
    caution: Phrase | None = None

    @property
    def version(self) -> int:
        """The seq of the last entry; 0 before the first one."""
        return self.progress.version if self.progress else 0

    @property
    def rules(self) -> str:
        """The version of the rules that the game is played by; before the start, the one that it would have now."""
        return rules.newest().version if self.header is None else str(self.header["rules"])

    @property
    def status(self) -> str:
        """The status: `open`, `running`, `finished` or `closed`."""
        if self.table.closed_at:
            return "closed"
        return self.progress.status if self.progress else "open"

    @property
    def tag(self) -> str:
        """The content of the ETag: `version-revision-head`."""
        return f"{self.version}-{self.table.revision}-{self.head}"

    @property
    def head(self) -> str:
        """The first 8 hex digits of the head of the hash chain.

        They distinguish a state that a restore has undone from another one of the same version. An open table has no
        chain yet, so a hash of its data is used.
        """
        return self.progress.head[: HEAD_DIGITS // 2].hex() if self.progress else self._open_hash[:HEAD_DIGITS]

    def head_at(self, version: int) -> str:
        """Return the `head` at a version that the table has reached; for an earlier version the log must be loaded."""
        if version == self.version or self.header is None:
            return self.head
        assert self.base is None and self.is_complete, "the log was left out"
        return replay.chained(record.digest(self.header), self.entries[:version])[:HEAD_DIGITS]

    @cached_property
    def _open_hash(self) -> str:
        table = self.table
        facts = (table.commitment.hex(), table.visibility, table.maker, table.closed_at, table.closed_because)
        shown = (tuple(player[:_SHOWN]) for player in self.players)
        return hashlib.sha256(repr((*facts, *shown)).encode()).hexdigest()

    @property
    def is_complete(self) -> bool:
        """True if the game can be replayed, that is, unless the log was left out."""
        return (self.base.version if self.base else 0) + len(self.entries) == self.version

    @cached_property
    def tiles(self) -> tuple[int, ...]:
        """All 68 tiles in draw order. While the game is running, nobody may see most of them.

        Raises:
            ValueError: the game has not started.
        """
        return replay.draw_order(self.server_seed, self._started["draw"]["subject"], self._entropy)

    @cached_property
    def replay(self) -> Replay:
        """The game after all entries.

        Raises:
            ValueError: it has not started.
        """
        if self.base is None:
            return replay.replay(self._started, self.tiles, self.entries)
        game = self.base.clone()
        game.follow(self.entries)
        return game

    @cached_property
    def terms(self) -> Terms | None:
        """The terms that the table agreed on, or None if it has no clock."""
        return None if self.table.clock is None else clock_values.terms(self.table.clock)

    @cached_property
    def seat_facts(self) -> tuple[SeatFacts, ...]:
        """The facts of the seats of a started game, from the players' settings."""
        return tuple(player.facts for player in self.players)

    @cached_property
    def clock(self) -> GameClock | None:
        """The clock of a running game after all entries; None if the table has no clock, or if the game is not running.

        If the previous release wrote the last entry, it is computed from the log, with the players' present settings.
        """
        if self.table.clock is None or self.progress is None or self.progress.status != "running":
            return None
        if self.progress.clock is not None:
            return clock_values.parsed(self.progress.clock, self.table.clock, self.table.abandoned_after)
        return self.folded_clock(lambda at: self.seat_facts)

    @property
    def is_clock_known(self) -> bool:
        """True unless the clock has to be computed from entries that were left out."""
        progress = self.progress
        if self.table.clock is None or progress is None or progress.clock is not None:
            return True
        return progress.status != "running" or self.base is None

    def folded_clock(self, facts_at: Callable[[datetime], Sequence[SeatFacts]]) -> GameClock:
        """Return the clock that follows from the whole log, even for a table without one, whose game may be abandoned.

        `facts_at` returns the facts of the seats at a time. Offers of time that wait for others are not included.

        Raises:
            ValueError: the game has not started.
        """
        assert self.base is None and self.is_complete, "the log was left out"
        began = replay.start(self._started, self.tiles)
        return clock_values.folded(
            self.terms, self.table.abandoned_after, facts_at, began.state.turn, began.turn_since, self.steps()
        )

    @property
    def state(self) -> State:
        """The state after all entries; clone it before advancing it.

        Raises:
            ValueError: the game has not started.
        """
        return self.replay.state

    def steps(self) -> list[tuple[Entry, Step]]:
        """Return each entry with what it did, from the start; only for a table without a base.

        Raises:
            ValueError: the game has not started.
        """
        return list(replay.steps(self._started, self.tiles, self.entries))

    def seat_of(self, account: str | None) -> int | None:
        """Return the account's seat, or None."""
        if account is None:  # as is that of a bot
            return None
        for player in self.players:
            if player.account == account:
                return player.seat
        return None

    def account_of(self, seat: int | None) -> str | None:
        """Return the account at a seat, or None if nobody or a bot sits there."""
        return next((player.account for player in self.players if player.seat == seat), None)

    @property
    def accounts(self) -> list[str]:
        """The accounts at the table, in the order of their seats; bots have none."""
        return [player.account for player in self.players if player.account is not None]

    def is_bots(self, seat: int | None) -> bool:
        """Return whether a bot plays this seat from the start."""
        return any(player.bot is not None for player in self.players if player.seat == seat)

    def name_of(self, seat: int) -> str | None:
        """Return the name of the player at a seat; None if it is unset or erased, or if nobody sits there."""
        return next((player.name for player in self.players if player.seat == seat), None)

    @property
    def names(self) -> tuple[str | None, ...]:
        """The names of the players by seat, as `name_of` returns them."""
        return tuple(self.name_of(seat) for seat in range(self.table.seats))

    def access(self, account: str | None) -> TableAccess:
        """Return the access of an account, or of nobody, to the table."""
        row = self.table
        return TableAccess(account, row.key, row.kind, row.visibility, self.status, self.seat_of(account))

    def may_be_read_by(self, account: str | None) -> bool:
        """Return whether the table is public, the account's own, or a solo that has ended."""
        return self.access(account).may_read

    def advanced(self, entry: Entry, progress: Progress) -> LoadedTable:
        """Return the table after one more entry, which its `replay` has already made, and move the replay there."""
        following = self.copied(progress, self.entries.and_then(entry), self.base)
        following.replay = self.replay
        return following

    def copied(self, progress: Progress | None, entries: Entries, base: Replay | None) -> LoadedTable:
        """Return a copy with another progress, entries and base, and without what was computed from the former ones.

        It does what `dataclasses.replace` does, in a fifth of the time.
        """
        same = self.table, self.players, self.header
        return LoadedTable(*same, progress, self.server_seed, entries, base, self.caution)

    def based(self) -> LoadedTable:
        """Return the table for later requests, with the replay in place of the log if the replay was made.

        Nobody may advance that replay any more.
        """
        if self.entries or self.base is None:
            known = self.base is not None or "replay" in self.__dict__
            return self.copied(self.progress, NONE, self.replay if known else None)
        return self.copied(self.progress, self.entries, self.base)

    @property
    def _started(self) -> dict[str, Any]:
        if self.header is None:
            raise ValueError(f"table {self.table.id} has not started")
        return self.header

    @property
    def _entropy(self) -> tuple[str, ...]:
        return tuple(self._started["draw"]["entropy"])
