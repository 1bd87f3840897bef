"""Count the statements that Postgres received, from its own log, including BEGIN and COMMIT."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

_SENT = re.compile(rb" LOG:  (?:statement|execute [^:\n]*): ([^\n]*)")


class StatementLog:
    """The statements sent to one database over connections that are opened from now on.

    Args:
        owner_url: the database, as a superuser; no other database of this server may log its statements meanwhile.
        folder: the data folder of the server (`service.local.postgres.Postgres`).
    """

    def __init__(self, owner_url: str, folder: Path) -> None:
        self._path = folder / "postgres.log"
        with psycopg.connect(owner_url, autocommit=True) as connection:
            name = sql.Identifier(str(conninfo_to_dict(owner_url)["dbname"]))
            connection.execute(sql.SQL("ALTER DATABASE {} SET log_statement = 'all'").format(name))

    def of(self, work: Callable[[], object]) -> list[str]:
        """Call a function, and return the first line of each statement that it sent."""
        begin = self._path.stat().st_size
        work()
        with self._path.open("rb") as file:
            file.seek(begin)
            return [found[1].decode() for found in _SENT.finditer(file.read())]
