"""List tables. This module is on the hot path, because programs poll for whose turn it is."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import NamedTuple

from sqlalchemy.orm import Session

from service.queries import table_ranges
from service.queries.table_ranges import BELOW_ALL, STATUSES, Filters
from service.store.autocommit_pool import Statements, statements
from service.store.callers import Caller, by_caller

__all__ = ["START", "STATUSES", "After", "Filters", "ListedTable", "Page", "Sitting", "listed", "looked_at_until"]

_RANGES = (2, 21, 101)
"""The page sizes that statements are written for, as constants.

Postgres then plans each statement once for the size that it has, and there is no statement for every size that somebody
asks for.
"""


class After(NamedTuple):
    """The place of a table in a list: its key and, in a list by time, when its time runs out, None for never."""

    key: int
    runs_out_at: datetime | None = None


START = After(BELOW_ALL, datetime.min.replace(tzinfo=UTC))
"""The place before all tables of a list."""


class Sitting(NamedTuple):
    """A taken seat; `is_reader` is true for the caller's own, and the name of a bot is its signature.

    `id` is the id by which others know the player, None once the account was erased.
    `absences` are those of the player to move in a game with a clock, as they are stored.
    """

    seat: int
    id: str | None
    name: str | None
    is_reader: bool
    absences: str | None = None


class ListedTable(NamedTuple):
    """A table in a list.

    Attributes:
        status: one of `STATUSES`.
        turn: the seat to move; None unless the game is running.
        terms: the terms that the table agreed on, as stored; None for no clock.
        abandoned_after: the time without a move after which the game ends.
        clock: the clock of the running game, as stored; None if it has none.
        runs_out_at: when the time of the player to move runs out, as the caller may see it; only in a list by time.
    """

    key: int
    id: str
    kind: str
    visibility: str
    seats: int
    goal_discs: int
    created_at: datetime
    closed_at: datetime | None
    version: int
    status: str
    turn: int | None
    ended_at: datetime | None
    terms: str | None
    abandoned_after: str
    clock: str | None
    runs_out_at: datetime | None
    players: list[Sitting]

    @property
    def place(self) -> After:
        """The place of this table in a list by time."""
        return After(self.key, self.runs_out_at)

    @property
    def seat(self) -> int | None:
        """The caller's seat, or None."""
        return next((player.seat for player in self.players if player.is_reader), None)


class Page(NamedTuple):
    """A page of a list, the account that asked for it (None for nobody), and the epoch of the data."""

    account: str | None
    epoch: str
    tables: list[ListedTable]


def listed(store: Session | Statements, caller: Caller, filters: Filters, after: After, limit: int) -> Page:
    """Return the tables after a place in the list: public ones and the caller's own, as the filters say.

    The newest come first or, if the filters say so, those whose time runs out soonest, and after them the others.

    Of one maker's open and closed tables, others see only the newest few, so nobody can fill a list alone; a started
    game takes a second player. Two players of whom one has blocked the other do not see each other's open tables.

    A page costs the same however far down it is and however many tables there are. A list by time has only the caller's
    own tables; it sorts those that are running, of which an account has a limited number.
    """
    asked = _place(filters, after) | {"limit": limit}
    statement = _page(filters.shape, next((most for most in _RANGES if most >= limit), limit))[type(caller)]
    rows = statements(store).rows(statement, caller.arguments(**asked))
    tables: list[ListedTable] = []
    players: list[Sitting] = []
    of = None
    for row in rows:
        if row[2] != of:
            of, players = row[2], []
            tables.append(ListedTable._make((*row[2:18], players)))
        if row[18] is not None:
            players.append(Sitting._make(row[18:]))
    account, epoch = rows[0][:2]
    return Page(account, epoch, tables)


def _place(filters: Filters, after: After) -> dict[str, object]:
    """Return the arguments of a statement about a place in a list."""
    asked = {**filters.values, "before": after.key}
    if filters.soonest_first:
        asked |= {"after": after.runs_out_at, "below": after.key if after.runs_out_at is None else START.key}
    return asked


def looked_at_until(store: Session | Statements, caller: Caller, filters: Filters, after: After) -> int | None:
    """Return the key down to which a page that is not full was examined, or None if nothing is left below.

    A page can end early where very many tables were skipped, those of one maker or those that the filters leave out.
    """
    ends = _ends(filters.shape)
    if ends is None:
        return None
    arguments = caller.arguments(**_place(filters, after))
    until: int | None = statements(store).read(ends[type(caller)], arguments)[0]
    return until


@cache
def _page(filters: Filters, most: int) -> dict[type, str]:
    """Return the statement of a page for each type of caller; `most` bounds the keys from each index range."""
    keys = table_ranges.keys(filters, most)
    order = "page.runs_out_at, page.key DESC" if filters.soonest_first else "page.key DESC"
    return by_caller(f"""
SELECT caller.account, epoch.value, tables.key, tables.id, tables.kind, tables.visibility, tables.seats,
       tables.goal_discs, tables.created_at, tables.closed_at, coalesce(progress.version, 0),
       coalesce(progress.status, CASE WHEN tables.closed_at IS NULL THEN 'open' ELSE 'closed' END),
       progress.turn, progress.ended_at, tables.clock, tables.abandoned_after,
       CASE WHEN progress.clock_seq = progress.version THEN progress.clock END,
       {"page.runs_out_at" if filters.soonest_first else "NULL"},
       seats.seat, CASE WHEN accounts.erased_at IS NULL THEN accounts.id END,
       coalesce(accounts.name, 'bot:' || seats.bot), coalesce(seats.account = caller.account, false),
       CASE WHEN seats.seat = progress.turn AND progress.clock IS NOT NULL THEN accounts.absences::text END
  FROM epoch CROSS JOIN {{caller}}
  LEFT JOIN LATERAL ({keys}
       ) AS page ON true
  LEFT JOIN tables ON tables.key = page.key
  LEFT JOIN progress ON progress.game = page.key
  LEFT JOIN seats ON seats.game = page.key
  LEFT JOIN accounts ON accounts.id = seats.account
 ORDER BY {order}, seats.seat
""")


@cache
def _ends(filters: Filters) -> dict[type, str] | None:
    end = table_ranges.windows_end(filters)
    return None if end is None else by_caller(f"SELECT {end} FROM {{caller}}")
