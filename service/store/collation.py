"""Whether the database's collation is still the one that its indexes were made with.

What the service looks up and sorts is in byte order (migration 0016) and needs none. Indexes that a host made, and the
text that people see sorted, may hang on it.
"""

from __future__ import annotations

from sqlalchemy import Connection, text

_VERSIONS = text("""
    SELECT datname, datcollversion, pg_database_collation_actual_version(oid)
      FROM pg_database WHERE datname = current_database()
""")


def warning(connection: Connection) -> str | None:
    """Return what to do when the system's collation is another version than the recorded one; None: it is the same, or
    neither has versions."""
    database, recorded, actual = connection.execute(_VERSIONS).one()
    if recorded is None or actual is None or recorded == actual:
        return None
    return (
        f"The collation of database {database} was {recorded} when its indexes were made, "
        f"and is {actual} on this system. "
        f'Make them anew: REINDEX DATABASE "{database}"; then ALTER DATABASE "{database}" REFRESH COLLATION VERSION.'
    )
