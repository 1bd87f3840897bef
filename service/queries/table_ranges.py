"""The SQL that finds the keys of a page of tables. This module is on the hot path.

The keys of a page are the newest of a few index ranges, each of them already sorted. Where not every table of a range
is wanted, a window of it is examined, so that a page costs the same whatever the filters are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from service.queries.table_access import MAY_READ, SITS
from service.store.blocks import has_blocked

STATUSES = ("open", "running", "finished", "closed")
"""The statuses of a table."""

_OF_ONE_ACCOUNT = ("open", "closed")
"""The statuses that a player can give to tables alone."""

_OF_MAKER = 5
"""The number of such tables by one maker that a list shows."""

_LOOKED_AT = 250
"""The number of tables in a window, which bounds what a page costs however few of them are wanted."""

BELOW_ALL = 2**31 - 1
"""A key above all others: below it is every table."""

_BELOW_FIRST = 0
"""A key below all others."""


@dataclass(frozen=True)
class Filters:
    """The tables to list; None and False do not filter.

    Attributes:
        kind: `match` or `solo`.
        status: one of `STATUSES`.
        mine: whether the caller sits there.
        my_turn: only games in which the caller is to move.
        soonest_first: in the order in which time runs out; only with `mine` or `my_turn`.
        player: the account of somebody who sits there.
        seats: the number of seats.
        goal_discs: the number of goal discs.
        clock: the kind of the clock, `none` for none.
        per_wait: the time for each stretch, a duration.
        free_seats: the least number of free seats; only with the status `open`.
    """

    kind: str
    status: str | None = None
    mine: bool | None = None
    my_turn: bool = False
    soonest_first: bool = False
    player: str | None = None
    seats: int | None = None
    goal_discs: int | None = None
    clock: str | None = None
    per_wait: str | None = None
    free_seats: int | None = None

    @property
    def shape(self) -> Filters:
        """The same filters without their values, which determines the statement."""
        given = {name: type(value)() for name in _VALUES if (value := getattr(self, name)) is not None}
        return replace(self, kind="", **given)

    @property
    def values(self) -> dict[str, object]:
        """The values of the filters, as arguments of the statement."""
        given = {name: getattr(self, name) for name in _VALUES}
        return {"kind": self.kind} | {name: value for name, value in given.items() if value is not None}

    @property
    def is_selective(self) -> bool:
        """True if tables are left out of the ranges, so that a window may have none that is wanted."""
        return self.mine is False or any(getattr(self, name) is not None for name in _VALUES)


_VALUES = ("player", "seats", "goal_discs", "clock", "per_wait", "free_seats")

_WANTED = {
    "seats": "tables.seats = %(seats)s",
    "goal_discs": "tables.goal_discs = %(goal_discs)s",
    "clock": "coalesce(tables.clock::json #>> '{clock,kind}', 'none') = %(clock)s",
    "per_wait": "tables.clock::json #>> '{clock,per_wait}' = %(per_wait)s",
    "free_seats": "tables.seats - (SELECT count(*) FROM seats WHERE seats.game = tables.key) >= %(free_seats)s",
}
"""The SQL of the filters of a table."""

_TOGETHER = f"""NOT {has_blocked("caller.account", "tables.maker")}
           AND NOT {has_blocked("tables.maker", "caller.account")}"""
"""The SQL of whether neither the caller nor the maker of a table has blocked the other."""


def _table_of(key: str) -> str:
    """Return the SQL that joins the table with this key. Postgres then looks up each one, as it plans no merge here."""
    return f"CROSS JOIN LATERAL (SELECT * FROM tables one WHERE one.key = {key} LIMIT 1) AS tables"


class _Range:
    """A range of an index below the key in the argument `below`, and the conditions that a table in it has to meet.

    `apart` has the columns before the key in the index, with their values. The range is written as one of rows, in the
    order of the whole index: if they were equal to constants, the order of the key alone would do, and where most
    tables are left out Postgres would rather read all tables by their primary key.
    """

    def __init__(
        self, source: str, key: str, conditions: list[str], below: str = "before", apart: dict[str, str] | None = None
    ) -> None:
        columns, values = [*(apart or {}), key], list((apart or {}).values())
        row, order = ", ".join(columns), ", ".join(f"{column} DESC" for column in columns)
        self._newest = f"SELECT {key} AS key FROM {source} AND ({row}) < ({', '.join([*values, f'%({below})s'])})"
        if apart:
            self._newest += f" AND ({row}) > ({', '.join([*values, str(_BELOW_FIRST)])})"
        self._newest += f" ORDER BY {order}"
        self._conditions = conditions

    @property
    def is_window(self) -> bool:
        """True if only a window of the range is examined."""
        return bool(self._conditions)

    def newest(self, most: int) -> str:
        """Return the SQL of at most a number of keys, the newest first."""
        if not self._conditions:
            return f"{self._newest} LIMIT {most}"
        return f"""SELECT looked_at.key
         FROM ({self._newest} LIMIT {_LOOKED_AT}) AS looked_at {_table_of("looked_at.key")}
         WHERE {" AND ".join(self._conditions)} ORDER BY looked_at.key DESC LIMIT {most}"""

    @property
    def end(self) -> str:
        """The SQL of the last key of the window; NULL if the range ends in it."""
        return f"({self._newest} LIMIT 1 OFFSET {_LOOKED_AT - 1})"


def keys(filters: Filters, most: int) -> str:
    """Return the SQL of the keys of a page; `most` bounds the keys from each range."""
    if filters.soonest_first:
        return _soonest(filters, most)
    return _my_turn(filters, most) if filters.my_turn else _newest(filters, most)


def windows_end(filters: Filters) -> str | None:
    """Return the SQL of the key down to which the windows of a page reach; None if it has no windows."""
    if filters.my_turn:
        return None
    ranges = _timeless(filters) if filters.soonest_first else _ranges(filters)
    ends = [each.end for each in ranges if each.is_window]
    return f"greatest({', '.join(ends)})" if ends else None


def _conditions(filters: Filters) -> list[str]:
    return [sql for name, sql in _WANTED.items() if getattr(filters, name) is not None]


def _ranges(filters: Filters) -> list[_Range]:
    """Return the ranges of a page: of each status, the public tables and those of an account."""
    wanted = _conditions(filters)
    found = []
    for status in STATUSES if filters.status is None else (filters.status,):
        seat = f"kind = %(kind)s AND status = '{status}'"
        apart = [_TOGETHER] if status == "open" else []
        if filters.player is not None:
            found.append(_Range(f"seats WHERE account = %(player)s AND {seat}", "game", [MAY_READ, *apart, *wanted]))
            continue
        if not filters.mine:
            few = [f"{_newer_of_maker(status)} < {_OF_MAKER}"] if status in _OF_ONE_ACCOUNT else []
            others = [f"NOT {SITS}"] if filters.mine is False else []
            public = "tables WHERE visibility = 'public'"  # worded as in the index
            columns = {"kind": "%(kind)s", "status": f"'{status}'"}
            found.append(_Range(public, "key", [*few, *apart, *others, *wanted], apart=columns))
        if filters.mine is not False:
            found.append(_Range(f"seats WHERE account = caller.account AND {seat}", "game", wanted))
    return found


def _timeless(filters: Filters) -> list[_Range]:
    """Return the ranges of those of the caller's tables in which nobody's time runs out, in a list by time."""
    statuses = STATUSES if filters.status is None else (filters.status,)
    seat = "seats WHERE account = caller.account AND kind = %(kind)s AND status"
    wanted = _conditions(filters)
    return [_Range(f"{seat} = '{each}'", "game", wanted, "below") for each in statuses if each != "running"]


def _newest(filters: Filters, most: int) -> str:
    """Return the SQL for the keys of a page: the newest of each range, and of these the newest."""
    found = [each.newest(most) for each in _ranges(filters)]
    # A table can be public and the caller's own.
    together = (" UNION ALL " if filters.mine else " UNION ").join(f"\n       ({each})" for each in found)
    return f"SELECT key FROM ({together}) AS together ORDER BY key DESC LIMIT %(limit)s"


def _newer_of_maker(status: str) -> str:
    """Return the SQL that counts newer public tables of this status by the same maker, as far as it matters."""
    return f"""(SELECT count(*) FROM (
             SELECT FROM tables newer
              WHERE newer.maker = tables.maker AND newer.status = '{status}' AND newer.key > tables.key
                AND newer.visibility = 'public' AND newer.kind = tables.kind
              LIMIT {_OF_MAKER}) AS newer)"""


_SHOWN_TIME = """CASE WHEN turn_account = caller.account THEN runs_out_at
            ELSE date_bin('1 hour', runs_out_at + interval '00:59:59.999', timestamptz 'epoch') END"""
"""The SQL of the time that the caller may see: others see the next whole hour (docs/CLOCKS.md, 11.2)."""


def _soonest(filters: Filters, most: int) -> str:
    """Return the SQL for the keys of a page of the caller's own tables, in the order in which time runs out."""
    ranges: list[str] = []
    wanted = "".join([f" AND {each}" for each in _conditions(filters)])
    tables = _table_of("seats.game") if wanted else ""
    if filters.status in (None, "running"):
        own = "seats.account = caller.account AND seats.kind = %(kind)s AND seats.status = 'running'"
        turn = "progress.turn_account = caller.account" if filters.my_turn else "true"
        ranges.append(f"""SELECT progress.game AS key, {_SHOWN_TIME} AS runs_out_at
         FROM seats JOIN progress ON progress.game = seats.game {tables} WHERE {own} AND {turn}{wanted}""")
    for each in () if filters.my_turn else _timeless(filters):
        ranges.append(f"SELECT key, NULL::timestamptz AS runs_out_at FROM ({each.newest(most)}) AS newest")
    if not ranges:
        ranges = ["SELECT NULL::integer AS key, NULL::timestamptz AS runs_out_at WHERE false"]
    together = " UNION ALL ".join(f"\n       ({each})" for each in ranges)
    return f"""
       SELECT key, runs_out_at FROM ({together}) AS together
        WHERE runs_out_at > %(after)s::timestamptz
           OR (runs_out_at IS NULL AND %(after)s::timestamptz IS NOT NULL)
           OR (runs_out_at IS NOT DISTINCT FROM %(after)s::timestamptz AND key < %(before)s)
        ORDER BY runs_out_at, key DESC LIMIT %(limit)s"""


def _my_turn(filters: Filters, most: int) -> str:
    """Return the SQL for the keys of a page of games in which the caller is to move; all of them are running."""
    wanted = "".join([f" AND {each}" for each in _conditions(filters)])
    return f"""
       SELECT key FROM (
              SELECT game AS key FROM progress JOIN tables ON tables.key = progress.game
               WHERE turn_account = caller.account AND tables.kind = %(kind)s AND game < %(before)s
                 AND {"true" if filters.status in (None, "running") else "false"}
               {wanted}
               ORDER BY game DESC LIMIT {most}) AS newest
        ORDER BY key DESC LIMIT %(limit)s"""
