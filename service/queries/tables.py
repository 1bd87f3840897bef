"""List tables. This module is on the hot path, because programs poll for whose turn it is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import NamedTuple

from sqlalchemy.orm import Session

from service.store.autocommit_pool import Statements, statements
from service.store.callers import Caller, by_caller

STATUSES = ("open", "running", "finished", "closed")
"""The statuses of a table."""

_OF_ONE_ACCOUNT = ("open", "closed")
"""The statuses that a player can give to tables alone."""

_OF_MAKER = 5
"""The number of such tables by one maker that a list shows."""

_LOOKED_AT = 500
"""The number of such tables examined for a page, which bounds its cost however many tables one maker has."""

_RANGES = (2, 21, 101)
"""The page sizes that statements are written for, as constants.

Postgres then plans each statement once for the size that it has, and there is no statement for every size that somebody
asks for.
"""

_BELOW_ALL = 2**31 - 1


@dataclass(frozen=True)
class Filters:
    """The tables to list; None and False do not filter.

    Attributes:
        kind: `match` or `solo`.
        status: one of `STATUSES`.
        mine: only the caller's own tables.
        my_turn: only games in which the caller is to move.
    """

    kind: str
    status: str | None = None
    mine: bool = False
    my_turn: bool = False


class Sitting(NamedTuple):
    """A taken seat; `is_reader` is true for the caller's own."""

    seat: int
    name: str | None
    is_reader: bool


class ListedTable(NamedTuple):
    """A table in a list. `status` is one of `STATUSES`; `turn` is None unless the game is running."""

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
    players: list[Sitting]

    @property
    def seat(self) -> int | None:
        """The caller's seat, or None."""
        return next((player.seat for player in self.players if player.is_reader), None)


class Page(NamedTuple):
    """A page of a list, the account that asked for it (None for nobody), and the epoch of the data."""

    account: str | None
    epoch: str
    tables: list[ListedTable]


def listed(store: Session | Statements, caller: Caller, filters: Filters, before: int | None, limit: int) -> Page:
    """Return tables with keys below `before`, newest first: public ones and the caller's own, as the filters say.

    Of one maker's open and closed tables, others see only the newest few, so nobody can fill a list alone; a started
    game takes a second player.

    A page costs the same however far down it is and however many tables there are: its keys are the newest of a few
    index ranges, each of them already sorted.
    """
    asked = {"kind": filters.kind, "before": _BELOW_ALL if before is None else before, "limit": limit}
    statement = _page(filters, next((most for most in _RANGES if most >= limit), limit))[type(caller)]
    rows = statements(store).rows(statement, caller.arguments(**asked))
    tables: list[ListedTable] = []
    players: list[Sitting] = []
    of = None
    for row in rows:
        if row[2] != of:
            of, players = row[2], []
            tables.append(ListedTable._make((*row[2:14], players)))
        if row[14] is not None:
            players.append(Sitting._make(row[14:]))
    account, epoch = rows[0][:2]
    return Page(account, epoch, tables)


def looked_at_until(store: Session | Statements, filters: Filters, before: int | None) -> int | None:
    """Return the key down to which a page that is not full was examined, or None if nothing is left below.

    A page can end early where very many tables of one maker were skipped.
    """
    if filters.mine or filters.my_turn or filters.status not in (None, *_OF_ONE_ACCOUNT):
        return None
    asked = {"kind": filters.kind, "before": _BELOW_ALL if before is None else before}
    until: int | None = statements(store).read(_until(filters.status), asked)[0]
    return until


@cache
def _page(filters: Filters, most: int) -> dict[type, str]:
    """Return the statement of a page for each type of caller; `most` bounds the keys from each index range."""
    return by_caller(f"""
SELECT caller.account, epoch.value, tables.key, tables.id, tables.kind, tables.visibility, tables.seats,
       tables.goal_discs, tables.created_at, tables.closed_at, coalesce(progress.version, 0),
       coalesce(progress.status, CASE WHEN tables.closed_at IS NULL THEN 'open' ELSE 'closed' END),
       progress.turn, progress.ended_at, seats.seat, accounts.name, seats.account IS NOT DISTINCT FROM caller.account
  FROM epoch CROSS JOIN {{caller}}
  LEFT JOIN LATERAL ({_my_turn(filters, most) if filters.my_turn else _newest(filters, most)}
       ) AS page ON true
  LEFT JOIN tables ON tables.key = page.key
  LEFT JOIN progress ON progress.game = page.key
  LEFT JOIN seats ON seats.game = page.key
  LEFT JOIN accounts ON accounts.id = seats.account
 ORDER BY page.key DESC, seats.seat
""")


def _newest(filters: Filters, most: int) -> str:
    """Return the SQL for the keys of a page: the newest of each status in each index, and of these the newest."""
    ranges: list[str] = []
    for status in STATUSES if filters.status is None else (filters.status,):
        if not filters.mine:
            ranges.append(_public(status, most))
        own = f"seats WHERE account = caller.account AND kind = %(kind)s AND status = '{status}' AND game < %(before)s"
        ranges.append(f"SELECT game AS key FROM {own} ORDER BY game DESC LIMIT {most}")
    # A table can be public and the caller's own.
    together = (" UNION ALL " if filters.mine else " UNION ").join(f"\n       ({each})" for each in ranges)
    return f"SELECT key FROM ({together}) AS together ORDER BY key DESC LIMIT %(limit)s"


def _public(status: str, most: int) -> str:
    public = f"SELECT key FROM tables WHERE {_is_public(status)} AND key < %(before)s ORDER BY key DESC LIMIT"
    if status not in _OF_ONE_ACCOUNT:
        return f"{public} {most}"
    return f"""SELECT key FROM ({public} {_LOOKED_AT}) AS looked_at JOIN tables USING (key)
         WHERE {_newer_of_maker(status)} < {_OF_MAKER} ORDER BY key DESC LIMIT {most}"""


def _is_public(status: str) -> str:
    return f"kind = %(kind)s AND status = '{status}' AND visibility = 'public'"  # worded as in the index


def _newer_of_maker(status: str) -> str:
    """Return the SQL that counts newer public tables of this status by the same maker, as far as it matters."""
    return f"""(SELECT count(*) FROM (
             SELECT FROM tables newer
              WHERE newer.maker = tables.maker AND newer.status = '{status}' AND newer.key > tables.key
                AND newer.visibility = 'public' AND newer.kind = tables.kind
              LIMIT {_OF_MAKER}) AS newer)"""


def _my_turn(filters: Filters, most: int) -> str:
    """Return the SQL for the keys of a page of games in which the caller is to move; all of them are running."""
    return f"""
       SELECT key FROM (
              SELECT game AS key FROM progress JOIN tables ON tables.key = progress.game
               WHERE turn_account = caller.account AND tables.kind = %(kind)s AND game < %(before)s
                 AND {"true" if filters.status in (None, "running") else "false"}
               ORDER BY game DESC LIMIT {most}) AS newest
        ORDER BY key DESC LIMIT %(limit)s"""


@cache
def _until(status: str | None) -> str:
    last = [
        f"""(SELECT key FROM tables WHERE {_is_public(each)} AND key < %(before)s
              ORDER BY key DESC LIMIT 1 OFFSET {_LOOKED_AT - 1})"""
        for each in _OF_ONE_ACCOUNT
        if status in (None, each)
    ]
    return f"SELECT greatest({', '.join(last)})"
