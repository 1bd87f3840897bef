"""Read the events after a cursor: those of all tables of an account, or those of one table.

Which of them a reader may see is decided by how things are now: who has left a table sees no more of it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from service.events.cursor import Positions
from service.events.event import COLUMNS, Event
from service.queries.table_access import COLUMNS as ACCESS
from service.queries.table_access import JOINS, TableAccess
from service.store.autocommit_pool import Statements
from service.store.callers import Bearer, Caller, by_caller
from service.store.events import FOR_THE_TABLE

PAGE = 200
"""The most events that are read at once."""

_CHUNK = 1000
"""How many events of all tables are looked through one by one for those of an account."""

_MOST_TABLES = 1000
"""With up to so many tables, an account's events are looked up by table if it has missed more than `_CHUNK` of all."""

_POSITIONS = "epoch.value, event_positions.last, event_positions.deleted"

_CALLER = by_caller(f"SELECT caller.account, {_POSITIONS} FROM epoch CROSS JOIN event_positions CROSS JOIN {{caller}}")
_TABLE = by_caller(f"SELECT {_POSITIONS}, {ACCESS} FROM epoch CROSS JOIN event_positions CROSS JOIN {{caller}}{JOINS}")

_HEARD = """({events}.kind <> 'message' OR NOT EXISTS (
             SELECT FROM seats author JOIN blocks ON blocks.account = %(account)s AND blocks.blocked = author.account
              WHERE author.game = {events}.game AND author.seat = {events}.seat))"""
"""The SQL of whether an event is not a message of somebody whom the reader has blocked."""

_FEW_TABLES = f"""
SELECT count(*) <= {_MOST_TABLES}
  FROM (SELECT FROM seats WHERE account = %(account)s LIMIT {_MOST_TABLES + 1}) AS counted"""

_FOR_ACCOUNT = f"""
SELECT {COLUMNS}, (SELECT seat FROM seats WHERE seats.game = events.game AND seats.account = %(account)s)
  FROM ({{events}}) AS events JOIN tables ON tables.key = events.game
 ORDER BY events.position LIMIT {PAGE}"""

_IN_CHUNK = _FOR_ACCOUNT.format(
    events=f"""
    SELECT recent.* FROM (
         SELECT * FROM events WHERE position > %(after)s AND position <= %(last)s ORDER BY position LIMIT {_CHUNK}
    ) AS recent LEFT JOIN seats ON seats.game = recent.game AND seats.account = %(account)s
     WHERE (recent.account = %(account)s OR (recent.account IS NULL AND seats.seat IS NOT NULL))
       AND {_HEARD.format(events="recent")}"""
)

_BY_TABLE = _FOR_ACCOUNT.format(
    events=f"""
    (SELECT found.* FROM seats CROSS JOIN LATERAL (
         SELECT * FROM events
          WHERE events.game = seats.game AND events.position > %(after)s AND events.position <= %(last)s
            AND events.account IS NULL AND {_HEARD.format(events="events")}
          ORDER BY events.position LIMIT {PAGE}
     ) AS found WHERE seats.account = %(account)s)
    UNION ALL
    (SELECT * FROM events WHERE events.account = %(account)s
        AND events.position > %(after)s AND events.position <= %(last)s ORDER BY events.position LIMIT {PAGE})"""
)

_GAME = f"""
SELECT {COLUMNS}
  FROM (
       SELECT * FROM events
        WHERE events.game = %(game)s AND events.position > %(after)s AND events.account IS NULL{{hidden}}
        ORDER BY events.position LIMIT {PAGE}
       ) AS events JOIN tables ON tables.key = events.game
 ORDER BY events.position"""

_HIDDEN = ",".join(FOR_THE_TABLE)

_GAMES = {
    True: _GAME.format(hidden=f" AND {_HEARD.format(events='events')}"),
    False: _GAME.format(hidden=f" AND {_HEARD.format(events='events')} AND events.kind <> ALL ('{{{_HIDDEN}}}')"),
}
"""The statements, by whether the reader sits at the table."""


_CHANGED = f"""
SELECT {_POSITIONS}, ARRAY(
       SELECT game FROM unnest(CAST(%(tables)s AS integer[])) AS asked (game)
        WHERE EXISTS (SELECT FROM events WHERE events.game = asked.game AND position > %(after)s AND account IS NULL))
  FROM epoch CROSS JOIN event_positions"""


class Found(NamedTuple):
    """The events for a reader in a range of positions.

    Attributes:
        events: each with the reader's seat at its table.
        reached: the position up to which these are all.
        has_more: whether there may be more after that.
    """

    events: list[tuple[Event, int | None]]
    reached: int
    has_more: bool


def positions(store: Statements, caller: Bearer) -> tuple[str | None, Positions]:
    """Return the caller's account, and the positions that events have now."""
    account, *found = store.read(_CALLER[Bearer], caller.arguments())
    return account, Positions(*found)


def positions_at(store: Statements, caller: Caller, table: str) -> tuple[TableAccess, Positions]:
    """Return the caller's access to a table, given by its id, and the positions that events have now."""
    row = store.read(_TABLE[type(caller)], caller.arguments(table=table))
    return TableAccess._make(row[3:]), Positions(*row[:3])


def of_account(store: Statements, account: str, after: int, last: int) -> Found:
    """Return the events after a position, up to `last`, that an account may see: of its tables, and for it alone.

    What it costs is limited: if the account has very many tables, only a part of the range is looked through.
    """
    is_far = last - after > _CHUNK and store.read(_FEW_TABLES, {"account": account})[0]
    until = last if is_far else min(last, after + _CHUNK)
    statement = _BY_TABLE if is_far else _IN_CHUNK
    rows = store.rows(statement, {"account": account, "after": after, "last": until})
    return _found([(Event._make(row[:-1]), row[-1]) for row in rows], max(until, after), last)


def of_table(store: Statements, access: TableAccess, after: int, last: int) -> Found:
    """Return the events of a table after a position; spectators do not get all of them.

    Nobody learns of what somebody says whom they have blocked. `last` is the last position of all.
    """
    rows = store.rows(_GAMES[access.seat is not None], {"game": access.key, "account": access.account, "after": after})
    return _found([(Event._make(row), access.seat) for row in rows], max(last, after), last)


def changed(store: Statements, after: int, tables: Collection[int]) -> tuple[Positions, Collection[int]]:
    """Return the positions that events have now, and those of some tables that have events after a position."""
    keys = f"{{{','.join(map(str, tables))}}}"
    *found, games = store.read(_CHANGED, {"after": after, "tables": keys})
    return Positions(*found), games


def _found(events: list[tuple[Event, int | None]], until: int, last: int) -> Found:
    reached = until
    if events:
        newest = events[-1][0].position
        reached = newest if len(events) == PAGE else max(until, newest)
    return Found(events, reached, len(events) == PAGE or reached < last)
