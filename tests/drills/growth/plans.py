"""The plans that Postgres chose for statements as the service ran them, read from its log (auto_explain)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from service.local.postgres import Postgres

_SETTINGS = {
    "session_preload_libraries": "auto_explain",
    "auto_explain.log_min_duration": "0",
    "auto_explain.log_analyze": "on",
    "auto_explain.log_buffers": "on",
    "auto_explain.log_timing": "off",
    "auto_explain.log_nested_statements": "on",
    "auto_explain.log_format": "json",
}

_LOGGED = re.compile(rb" LOG:  duration: [^\n]*  plan:\n((?:\t[^\n]*\n)+)")

GROWING = frozenset(
    [
        "accounts",
        "former_addresses",
        "tokens",
        "tables",
        "seats",
        "draw_secrets",
        "invitations",
        "setups",
        "log",
        "progress",
        "never_mail",
        "notifications",
        "game_notifications",
        "messages",
        "events",
        "listeners",
        "notes",
        "deliveries",
        "incoming",
        "idempotency",
        "procrastinate_jobs",
        "procrastinate_events",
        "schedules",
        "reminders",
        "checkpoint_tiles",
        "checkpoint_leaves",
    ]
)
"""Tables that grow as long as the service is used. The others are kept small by jobs that clear them."""


@dataclass(frozen=True)
class Plan:
    """A statement that ran, with its plan in the form of EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)."""

    statement: str
    top: dict[str, Any]

    def nodes(self) -> Iterator[dict[str, Any]]:
        """Yield all nodes of the plan."""
        waiting = [self.top]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(node.get("Plans", ()))

    @property
    def read(self) -> list[str]:
        """Return the way in which each growing table was read: `Index Only Scan of log by log_pkey`."""
        return sorted(
            f"{node['Node Type']} of {_table(node)} by {node.get('Index Name')}"
            for node in self.nodes()
            if "Scan" in node["Node Type"] and _table(node) in GROWING
        )

    @property
    def buffers(self) -> int:
        """The number of pages that were read."""
        return int(self.top["Shared Hit Blocks"] + self.top["Shared Read Blocks"])

    @property
    def scanned_whole(self) -> list[str]:
        """The growing tables that were read completely, by their rows or by an index without a condition or a limit."""
        return sorted(_table(node) for node in self.nodes() if node["Node Type"] == "Seq Scan" and _grows(node))

    @property
    def rows(self) -> float:
        """The most rows that any node returned or discarded, in all its loops together."""
        return max(
            float(node["Actual Loops"] * (node["Actual Rows"] + node.get("Rows Removed by Filter", 0)))
            for node in self.nodes()
        )

    @property
    def fetched_from_heap(self) -> float:
        """The number of rows that index-only scans had to look up in the table."""
        return sum(float(node.get("Heap Fetches", 0)) for node in self.nodes())


def _table(node: dict[str, Any]) -> str:
    # A bitmap index scan names no table; the heap scan above it does.
    return str(node.get("Relation Name", ""))


def _grows(node: dict[str, Any]) -> bool:
    return _table(node) in GROWING


def explain(url: str, database: str, **settings: str) -> None:
    """Log the plans of all statements on a database, on connections that are opened from now on.

    They are run with these settings of Postgres.
    """
    with psycopg.connect(url, autocommit=True) as connection:
        for name, value in (_SETTINGS | settings).items():
            setting = sql.SQL("ALTER DATABASE {} SET {} = {}")
            connection.execute(setting.format(sql.Identifier(database), sql.Identifier(*name.split(".")), value))


class Log:
    """A server's log, from now on."""

    def __init__(self, postgres: Postgres) -> None:
        self._path: Path = postgres.folder / "postgres.log"
        self._end = self._path.stat().st_size

    def plans(self) -> list[Plan]:
        """Return the plans of what has run since the last call."""
        with self._path.open("rb") as file:
            file.seek(self._end)
            added = file.read()
        self._end += len(added)
        found = []
        for logged in _LOGGED.finditer(added):
            told = json.loads(logged[1].replace(b"\n\t", b"\n"))
            found.append(Plan(" ".join(told["Query Text"].split()), told["Plan"]))
        return found
