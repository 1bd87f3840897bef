"""List tables. This module is on the hot path, because programs poll for whose turn it is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
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
        soonest_first: in the order in which time runs out; only with `mine` or `my_turn`.
    """

    kind: str
    status: str | None = None
    mine: bool = False
    my_turn: bool = False
    soonest_first: bool = False


class After(NamedTuple):
    """The place of a table in a list: its key and, in a list by time, when its time runs out, None for never."""

    key: int
    runs_out_at: datetime | None = None


START = After(_BELOW_ALL, datetime.min.replace(tzinfo=UTC))
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
    game takes a second player.

    A page costs the same however far down it is and however many tables there are: its keys are the newest of a few
    index ranges, each of them already sorted. A list by time has only the caller's own tables; it sorts those that are
    running, of which an account has a limited number.
    """
    asked: dict[str, object] = {"kind": filters.kind, "before": after.key, "limit": limit}
    if filters.soonest_first:
        below = after.key if after.runs_out_at is None else START.key
        asked |= {"after": after.runs_out_at, "below": below}
    statement = _page(filters, next((most for most in _RANGES if most >= limit), limit))[type(caller)]
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
    if filters.soonest_first:
        keys, order = _soonest(filters, most), "page.runs_out_at, page.key DESC"
    else:
        keys, order = _my_turn(filters, most) if filters.my_turn else _newest(filters, most), "page.key DESC"
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


_SHOWN_TIME = """CASE WHEN turn_account = caller.account THEN runs_out_at
            ELSE date_bin('1 hour', runs_out_at + interval '00:59:59.999', timestamptz 'epoch') END"""
"""The SQL of the time that the caller may see: others see the next whole hour (docs/CLOCKS.md, 11.2)."""


def _soonest(filters: Filters, most: int) -> str:
    """Return the SQL for the keys of a page of the caller's own tables, in the order in which time runs out."""
    ranges: list[str] = []
    statuses = STATUSES if filters.status is None else (filters.status,)
    if "running" in statuses:
        own = "seats.account = caller.account AND seats.kind = %(kind)s AND seats.status = 'running'"
        turn = "progress.turn_account = caller.account" if filters.my_turn else "true"
        ranges.append(f"""SELECT progress.game AS key, {_SHOWN_TIME} AS runs_out_at
         FROM seats JOIN progress ON progress.game = seats.game WHERE {own} AND {turn}""")
    for status in () if filters.my_turn else (each for each in statuses if each != "running"):
        own = f"seats WHERE account = caller.account AND kind = %(kind)s AND status = '{status}' AND game < %(below)s"
        ranges.append(
            f"SELECT game AS key, NULL::timestamptz AS runs_out_at FROM {own} ORDER BY game DESC LIMIT {most}"
        )
    if not ranges:
        ranges = ["SELECT NULL::integer AS key, NULL::timestamptz AS runs_out_at WHERE false"]
    together = " UNION ALL ".join(f"\n       ({each})" for each in ranges)
    return f"""
       SELECT key, runs_out_at FROM ({together}) AS together
        WHERE runs_out_at > %(after)s::timestamptz
           OR (runs_out_at IS NULL AND %(after)s::timestamptz IS NOT NULL)
           OR (runs_out_at IS NOT DISTINCT FROM %(after)s::timestamptz AND key < %(before)s)
        ORDER BY runs_out_at, key DESC LIMIT %(limit)s"""


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
