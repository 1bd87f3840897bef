"""Read the events after a cursor: those of all tables of an account, or those of one table.

Which of them a reader may see is decided by how things are now: who has left a table sees no more of it.
"""

from __future__ import annotations

from typing import NamedTuple

from service.events.cursor import Positions
from service.events.event import COLUMNS, Event
from service.queries.table_access import COLUMNS as ACCESS
from service.queries.table_access import JOINS, TableAccess
from service.store.autocommit_pool import Statements
from service.store.callers import Bearer, by_caller

PAGE = 200
"""The most events that are read at once."""

_NEAR = 1000
"""How many of the last events are looked through one by one.

For a cursor before them, those of each of the account's tables are looked up.
"""

_POSITIONS = "epoch.value, event_positions.last, event_positions.deleted"

_CALLER = by_caller(f"SELECT caller.account, {_POSITIONS} FROM epoch CROSS JOIN event_positions CROSS JOIN {{caller}}")
_TABLE = by_caller(f"SELECT {_POSITIONS}, {ACCESS} FROM epoch CROSS JOIN event_positions CROSS JOIN {{caller}}{JOINS}")

_SEAT = "(SELECT seat FROM seats WHERE seats.game = events.game AND seats.account = %(account)s)"

_FOR_ACCOUNT = f"""
SELECT {COLUMNS}, {_SEAT}
  FROM ({{events}}) AS events JOIN tables ON tables.key = events.game
 ORDER BY events.position LIMIT {PAGE}"""

_NEAR_EVENTS = f"""
    SELECT recent.* FROM (
         SELECT * FROM events WHERE position > %(after)s AND position <= %(last)s ORDER BY position LIMIT {_NEAR}
    ) AS recent LEFT JOIN seats ON seats.game = recent.game AND seats.account = %(account)s
     WHERE recent.account = %(account)s OR (recent.account IS NULL AND seats.seat IS NOT NULL)"""

_FAR_EVENTS = f"""
    (SELECT found.* FROM seats CROSS JOIN LATERAL (
         SELECT * FROM events
          WHERE events.game = seats.game AND events.position > %(after)s AND events.position <= %(last)s
            AND events.account IS NULL
          ORDER BY events.position LIMIT {PAGE}
     ) AS found WHERE seats.account = %(account)s)
    UNION ALL
    (SELECT * FROM events WHERE events.account = %(account)s
        AND events.position > %(after)s AND events.position <= %(last)s ORDER BY events.position LIMIT {PAGE})"""

_ACCOUNT = {
    is_near: _FOR_ACCOUNT.format(events=found) for is_near, found in ((True, _NEAR_EVENTS), (False, _FAR_EVENTS))
}

_GAME = f"""
SELECT {COLUMNS}
  FROM events JOIN tables ON tables.key = events.game
 WHERE events.game = %(game)s AND events.position > %(after)s AND events.account IS NULL{{hidden}}
 ORDER BY events.position LIMIT {PAGE}"""

_GAMES = {True: _GAME.format(hidden=""), False: _GAME.format(hidden=" AND events.kind <> 'message'")}


class Found(NamedTuple):
    """Events for a reader, each with the reader's seat at its table; `is_full` says that more may follow."""

    events: list[tuple[Event, int | None]]

    @property
    def is_full(self) -> bool:
        """True if there may be more."""
        return len(self.events) == PAGE


def positions(store: Statements, caller: Bearer) -> tuple[str | None, Positions]:
    """Return the caller's account, and the positions that events have now."""
    account, *found = store.read(_CALLER[Bearer], caller.arguments())
    return account, Positions(*found)


def positions_at(store: Statements, caller: Bearer, table: str) -> tuple[TableAccess, Positions]:
    """Return the caller's access to a table, given by its id, and the positions that events have now."""
    row = store.read(_TABLE[Bearer], caller.arguments(table=table))
    return TableAccess._make(row[3:]), Positions(*row[:3])


def of_account(store: Statements, account: str, after: int, last: int) -> Found:
    """Return the events after a position, up to `last`, that an account may see: of its tables, and for it alone."""
    statement = _ACCOUNT[last - after <= _NEAR]
    rows = store.rows(statement, {"account": account, "after": after, "last": last})
    return Found([(Event._make(row[:-1]), row[-1]) for row in rows])


def of_table(store: Statements, access: TableAccess, after: int) -> Found:
    """Return the events of a table after a position; only those at the table learn of what is said there."""
    rows = store.rows(_GAMES[access.seat is not None], {"game": access.key, "after": after})
    return Found([(Event._make(row), access.seat) for row in rows])
