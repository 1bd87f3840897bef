"""Connections to the reused database that the applications and engines of tests take over from each other.

To open new ones, and to fill their caches in Postgres, would take a quarter of the time of a test of the API. What is
kept has no transaction, and what a test has left open otherwise is ended (`tests.support.reused_database`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import psycopg
from sqlalchemy import Dialect, Engine, Pool, QueuePool, create_engine, event

from service.store.autocommit_pool import AutocommitPool
from service.store.base import engine_url
from service.store.prepared_statements import PreparedConnection


class _OfApplication(NamedTuple):
    """The connections of an application that was closed; the dialect knows the server by now."""

    pool: Pool
    dialect: Dialect
    autocommit: list[PreparedConnection]


class KeptConnections:
    """The connections to one database that are kept while nobody uses them."""

    def __init__(self) -> None:
        self._applications: defaultdict[object, list[_OfApplication]] = defaultdict(list)
        self._engines: list[Engine] = []
        self._opened: list[psycopg.Connection[Any]] = []

    def lend(self, settings: object, engine: Engine, pool: AutocommitPool) -> None:
        """Give an application that has not opened any the connections of another with the same settings."""
        if not self._applications[settings]:
            event.listen(engine, "connect", lambda connection, record: self._opened.append(connection))
            return
        kept = self._applications[settings].pop()
        engine.pool, engine.dialect = kept.pool, kept.dialect
        pool._free.extend(kept.autocommit)

    def give_back(self, settings: object, engine: Engine, pool: AutocommitPool) -> None:
        """Keep the connections of an application that nobody uses any longer, or close them if some are in use."""
        free = [each for each in pool._free if each.is_idle]
        if _is_unused(engine):
            pool._free.clear()
            self._applications[settings].append(_OfApplication(engine.pool, engine.dialect, free))
        else:
            engine.dispose()
            pool.close()

    @contextmanager
    def engine(self, url: str) -> Iterator[Engine]:
        """Yield an engine for the database."""
        engine = self._engines.pop() if self._engines else self._new_engine(url)
        yield engine
        if _is_unused(engine):
            self._engines.append(engine)
        else:
            engine.dispose()

    def processes(self) -> list[int]:
        """Return the ids of the processes in Postgres that serve what is kept."""
        free = [each.connection for some in self._applications.values() for kept in some for each in kept.autocommit]
        return [each.info.backend_pid for each in (*self._opened, *free) if not each.closed]

    def close(self) -> None:
        """Close what is kept."""
        for some in self._applications.values():
            for kept in some:
                kept.pool.dispose()
                for connection in kept.autocommit:
                    connection.close()
        for engine in self._engines:
            engine.dispose()
        self._applications.clear()
        self._engines.clear()

    def _new_engine(self, url: str) -> Engine:
        engine = create_engine(engine_url(url))
        event.listen(engine, "connect", lambda connection, record: self._opened.append(connection))
        return engine


def _is_unused(engine: Engine) -> bool:
    assert isinstance(engine.pool, QueuePool)
    return engine.pool.checkedout() == 0


OF: dict[str, KeptConnections] = {}
"""What is kept, by the URL for the role of the service."""
