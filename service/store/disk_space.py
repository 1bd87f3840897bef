"""Check whether the database's disk has room to write."""

from __future__ import annotations

from sqlalchemy import Connection, text

_SMALL = text("SELECT set_config('work_mem', '64kB', true)")
# Some 800 kB, more than the memory allowed above, so they are written to a temporary file beside the tables. A replica
# can do that too, no table grows, and no right is needed.
_WRITE = text("SELECT count(*) FROM generate_series(1, 60000)")


def check(connection: Connection) -> None:
    """Write a temporary file, in the open transaction; it takes some milliseconds.

    Raises:
        OperationalError: the disk is full (SQLSTATE 53100).
    """
    connection.execute(_SMALL)
    connection.execute(_WRITE)
