"""Lists of tables: this module is on the hot path, as programs ask again and again whose turn it is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import NamedTuple

from sqlalchemy.orm import Session

from service.store.callers import Caller, by_caller
from service.store.straight import Statements, statements

STATUSES = ("open", "running", "finished", "closed")
"""What a table can be."""

_OF_ONE_ACCOUNT = ("open", "closed")
"""What takes nobody else."""

_OF_MAKER = 5
"""How many of these one maker has in a list."""

_LOOKED_AT = 500
"""How many of these are looked at for a page, so that it costs little however many one maker has."""

_RANGES = (2, 21, 101)
"""How many keys a range of an index gives for a page, as constants of its statement: Postgres plans for the page that it
is, once, and a process has no statement for each number that somebody asks for."""

_BELOW_ALL = 2**31 - 1


@dataclass(frozen=True)
class Filters:
    """Which tables are asked for; None and False ask for all.

    `status` is open, running, finished or closed. `mine` are the reader's own, `my_turn` those where the reader is to
    move; both need a reader.
    """

    kind: str
    status: str | None = None
    mine: bool = False
    my_turn: bool = False


class Sitting(NamedTuple):
    """Who sits where; `is_reader`: it is who asks."""

    seat: int
    name: str | None
    is_reader: bool


class Listed(NamedTuple):
    """One table of a list; `turn` is None unless it is running. `status` is open, running, finished or closed."""

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
        """The reader's seat, None when it has none."""
        return next((player.seat for player in self.players if player.is_reader), None)


class Page(NamedTuple):
    """Tables of a list, the account that asked for it (None: nobody), and the epoch that it is of."""

    account: str | None
    epoch: str
    tables: list[Listed]


def listed(store: Session | Statements, caller: Caller, filters: Filters, before: int | None, limit: int) -> Page:
    """Read tables, newest first, with keys below `before`: public ones and the caller's own, so far as the filters ask.

    Of the open and of the closed ones that one maker made, others see the newest few only, so that nobody can fill a list
    alone: for a game to start takes a second player.

    A page costs the same however far down it is and however many tables there are: its keys are the newest out of a
    few ranges of indexes that are in their order.
    """
    asked = {"kind": filters.kind, "before": _BELOW_ALL if before is None else before, "limit": limit}
    statement = _page(filters, next((most for most in _RANGES if most >= limit), limit))[type(caller)]
    rows = statements(store).rows(statement, caller.arguments(**asked))
    tables: list[Listed] = []
    players: list[Sitting] = []
    of = None
    for row in rows:
        if row[2] != of:
            of, players = row[2], []
            tables.append(Listed._make((*row[2:14], players)))
        if row[14] is not None:
            players.append(Sitting._make(row[14:]))
    account, epoch = rows[0][:2]
    return Page(account, epoch, tables)


def looked_at_until(store: Session | Statements, filters: Filters, before: int | None) -> int | None:
    """Return down to which key a page that has fewer tables than asked for has looked, if there may be more below: very
    many of one maker stood there."""
    if filters.mine or filters.my_turn or filters.status not in (None, *_OF_ONE_ACCOUNT):
        return None
    asked = {"kind": filters.kind, "before": _BELOW_ALL if before is None else before}
    until: int | None = statements(store).read(_until(filters.status), asked)[0]
    return until


@cache
def _page(filters: Filters, most: int) -> dict[type, str]:
    """The statement of a page, by the type of its caller; `most` is how many keys of a range may come into it."""
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
    """The keys of a page: the newest of each status in each index, and of these the newest."""
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
    return f"kind = %(kind)s AND status = '{status}' AND visibility = 'public'"  # as the index has it


def _newer_of_maker(status: str) -> str:
    """How many newer public tables of this status their maker has, counted as far as it matters."""
    return f"""(SELECT count(*) FROM (
             SELECT FROM tables newer
              WHERE newer.maker = tables.maker AND newer.status = '{status}' AND newer.key > tables.key
                AND newer.visibility = 'public' AND newer.kind = tables.kind
              LIMIT {_OF_MAKER}) AS newer)"""


def _my_turn(filters: Filters, most: int) -> str:
    """The keys of a page of the games where the caller is to move; all of them are running."""
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
