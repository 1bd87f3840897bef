"""Databases as earlier releases left them, each written by the code of that release (`scripts/release_dump.py`)."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import psycopg

from service.store import migrate

_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Release:
    """A release, and the rows that it left in its database."""

    version: str

    @cached_property
    def schema(self) -> str:
        """The revision of its schema."""
        return str(self._told(r"schema (\d+)")[0])

    @cached_property
    def tokens(self) -> dict[str, str]:
        """The access tokens of its users, by email address."""
        return dict(self._told(r"token of (\S+): (\S+)"))

    @cached_property
    def games(self) -> dict[int, tuple[str, int]]:
        """The status and the version of each game that was started, by the key of its table."""
        return {int(key): (status, int(at)) for key, status, at in self._told(r"game (\d+): (\w+) at (\d+)")}

    def fill(self, owner_url: str) -> None:
        """Bring an empty database to the release's schema, and insert its rows."""
        migrate.upgrade(owner_url, to=self.schema)
        with psycopg.connect(owner_url) as connection:
            # As in a replica: the effects of triggers are among the rows already.
            connection.execute("SET session_replication_role = replica")
            if connection.execute("SELECT to_regclass('epoch')").fetchone() != (None,):
                connection.execute(
                    "DELETE FROM epoch"
                )  # the row that the migration wrote; the release's own is among the rows
            connection.execute(self._rows.encode())

    @cached_property
    def _rows(self) -> str:
        return (_FOLDER / f"release_{self.version.replace('.', '_')}.sql").read_text(encoding="utf-8")

    def _told(self, pattern: str) -> list[Any]:
        return re.findall(rf"^-- {pattern}$", self._rows, re.MULTILINE)


FIRST = Release("0.1.0")
RELEASES = (FIRST, Release("0.2.0"))
"""All releases with a dump, oldest first."""
