"""Whether the database's disk has room to write on."""

from __future__ import annotations

from sqlalchemy import Connection, text

_SMALL = text("SELECT set_config('work_mem', '64kB', true)")
#: Some 800 kB, more than fits into that, so that they are written to a temporary file beside the tables. A replica can do
#: that too, no table grows by it, and no right is needed.
_WRITE = text("SELECT count(*) FROM generate_series(1, 60000)")


def check(connection: Connection) -> None:
    """Write something, in the transaction that is open; it takes some milliseconds.

    Raises OperationalError (SQLSTATE 53100) where there is no room.
    """
    connection.execute(_SMALL)
    connection.execute(_WRITE)
