"""A database as the first release left it."""

import re
from pathlib import Path

import psycopg

from service.store import migrate

_ROWS = Path(__file__).with_name("first_release.sql")

#: The games that run in it, by their keys, with the number of their entries; then those that are over.
RUNNING = {1: 12, 2: 12, 4: 9, 5: 2}
OVER = {3}


def fill(owner_url: str) -> None:
    """Brings an empty database to the first release's schema and puts its rows in."""
    migrate.upgrade(owner_url, to="0002")
    with psycopg.connect(owner_url) as connection:
        # As in a replica: what triggers did then is among the rows.
        connection.execute("SET session_replication_role = replica")
        connection.execute(_ROWS.read_text(encoding="utf-8"))


def tokens() -> dict[str, str]:
    """The tokens of its people, by address."""
    return dict(re.findall(r"^-- token of (\S+): (\S+)$", _ROWS.read_text(encoding="utf-8"), re.MULTILINE))
