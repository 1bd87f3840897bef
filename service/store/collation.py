"""Check whether the database still has the collation that its indexes were built with.

Everything that the service looks up and sorts is in byte order (migration 0016) and needs none. Indexes that a host
created, and the order of texts that people see, may depend on it.
"""

from __future__ import annotations

from sqlalchemy import Connection, text

_VERSIONS = text("""
    SELECT datname, datcollversion, pg_database_collation_actual_version(oid)
      FROM pg_database WHERE datname = current_database()
""")


def warning(connection: Connection) -> str | None:
    """Return advice if the system's collation version differs from the recorded one, or None."""
    database, recorded, actual = connection.execute(_VERSIONS).one()
    if recorded is None or actual is None or recorded == actual:
        return None
    return (
        f"The collation of database {database} was {recorded} when its indexes were made, "
        f"and is {actual} on this system. "
        f'Make them anew: REINDEX DATABASE "{database}"; then ALTER DATABASE "{database}" REFRESH COLLATION VERSION.'
    )
