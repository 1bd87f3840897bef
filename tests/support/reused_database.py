"""A database that tests use one after another: emptied for each, which takes a tenth of the time of creating one."""

from collections.abc import Callable

import psycopg

from tests.support import kept_connections
from tests.support.databases import as_service
from tests.support.kept_connections import KeptConnections

# How many tests use one database: rows that were deleted take room, and would make scans of its tables slower.
_USES = 50

_SEQUENCES = "SELECT format('PERFORM setval(%L, 1, false)', oid::regclass) FROM pg_class WHERE relkind = 'S'"
_TABLES = "SELECT oid::regclass::text FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
_EMPTIES = "tests.empties"
# The triggers that keep the log append-only let the session pass that empties the database.
_LETS_PASS = f"BEGIN IF current_setting('{_EMPTIES}', true) = 'on' THEN RETURN NULL; END IF;"
# One function does it all, because it plans its statements once, and to plan them takes longer than to execute them.
# Whatever the test before left open ends, as it would if its database were dropped.
_EMPTY = """
CREATE FUNCTION pg_temp.empty(kept integer[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    {ends}
    {statements};
END
$$
"""
_END_OTHERS = """
PERFORM pg_terminate_backend(pid, 10000) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND pid <> ALL(kept);
"""


class ReusedDatabase:
    """A migrated database for the role of the service, which can change its rows but nothing else.

    Args:
        create: creates a migrated database, and returns its URL for the role that owns its tables.
        drop: drops the database with this URL.
        uses: how often it is emptied before another one takes its place; None: there is one for ever.
        ends_others: whether emptying it ends all other connections to it.
    """

    def __init__(
        self,
        create: Callable[[], str],
        drop: Callable[[str], None],
        *,
        uses: int | None = _USES,
        ends_others: bool = True,
    ) -> None:
        self._create = create
        self._drop = drop
        self._uses = 0
        self._bound = uses
        self._ends_others = ends_others
        self._owner: psycopg.Connection[tuple[str, ...]] | None = None
        self._url = ""

    def emptied(self) -> str:
        """Return the URL, for the role that owns the tables, of a database that holds what migrations left in it."""
        if self._bound and self._uses % self._bound == 0:
            self.close()
        if self._owner is None:
            self._open()
        elif self._uses:
            self._restore(self._owner)
        self._uses += 1
        return self._url

    def close(self) -> None:
        """Drop the database, if there is one."""
        if self._owner is not None:
            kept_connections.OF.pop(as_service(self._url)).close()
            self._owner.close()
            self._drop(self._url)
            self._owner = None

    def _open(self) -> None:
        self._url = self._create()
        self._kept = kept_connections.OF[as_service(self._url)] = KeptConnections()
        self._owner = owner = psycopg.connect(self._url, autocommit=True)
        owner.execute("SET session_replication_role = replica")  # foreign keys don't have to be checked
        owner.execute(f"SET {_EMPTIES} = on")
        [(refusal,)] = owner.execute("SELECT pg_get_functiondef('refuse_change'::regproc)")
        assert refusal.count("BEGIN") == 1
        owner.execute(refusal.replace("BEGIN", _LETS_PASS))
        tables = [name for (name,) in owner.execute(_TABLES)]
        statements = [f"DELETE FROM {name}" for name in tables]
        statements += [statement for (statement,) in owner.execute(_SEQUENCES)]
        for number, name in enumerate(tables):
            if owner.execute(f"SELECT FROM {name} LIMIT 1").rowcount:
                owner.execute(f"CREATE TEMPORARY TABLE seeded_{number} AS SELECT * FROM {name}")
                statements.append(f"INSERT INTO {name} OVERRIDING SYSTEM VALUE SELECT * FROM pg_temp.seeded_{number}")
        owner.execute(_EMPTY.format(ends=_END_OTHERS if self._ends_others else "", statements="; ".join(statements)))

    def _restore(self, owner: psycopg.Connection[tuple[str, ...]]) -> None:
        owner.execute("SELECT pg_temp.empty(%s)", [self._kept.processes()])
