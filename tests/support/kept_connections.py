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
        self._opened: dict[Pool, list[psycopg.Connection[Any]]] = {}

    def lend(self, settings: object, engine: Engine, pool: AutocommitPool) -> None:
        """Give an application that has not opened any the connections of another with the same settings."""
        if not self._applications[settings]:
            self._watch(engine)
            return
        kept = self._applications[settings].pop()
        engine.pool, engine.dialect = kept.pool, kept.dialect
        pool._free.extend(kept.autocommit)

    def give_back(self, settings: object, engine: Engine, pool: AutocommitPool) -> None:
        """Keep the connections of an application that is closed, or close them if some are still in use."""
        if not self._can_keep(engine):
            self._forget(engine)
            pool.close()
            return
        free = [each for each in pool._free if each.is_idle]
        pool._free.clear()
        self._applications[settings].append(_OfApplication(engine.pool, engine.dialect, free))

    @contextmanager
    def engine(self, url: str) -> Iterator[Engine]:
        """Yield an engine for the database."""
        engine = self._engines.pop() if self._engines else create_engine(engine_url(url))
        if engine.pool not in self._opened:
            self._watch(engine)
        yield engine
        if self._can_keep(engine):
            self._engines.append(engine)
        else:
            self._forget(engine)

    def processes(self) -> list[int]:
        """Return the ids of the processes in Postgres that serve what is kept."""
        applications = [kept for some in self._applications.values() for kept in some]
        pools = [kept.pool for kept in applications] + [engine.pool for engine in self._engines]
        connections = [each for pool in pools for each in self._opened[pool]]
        connections += [each.connection for kept in applications for each in kept.autocommit]
        return [each.info.backend_pid for each in connections if not each.closed]

    def close(self) -> None:
        """Close what is kept."""
        for kept in (kept for some in self._applications.values() for kept in some):
            kept.pool.dispose()
            for connection in kept.autocommit:
                connection.close()
        for engine in self._engines:
            engine.dispose()
        self._applications.clear()
        self._engines.clear()

    def _watch(self, engine: Engine) -> None:
        opened = self._opened[engine.pool] = []
        event.listen(engine, "connect", lambda connection, record: opened.append(connection))

    def _forget(self, engine: Engine) -> None:
        self._opened.pop(engine.pool, None)
        engine.dispose()

    def _can_keep(self, engine: Engine) -> bool:
        """Return whether nobody uses the engine's pool, and the test has not put another in its place."""
        assert isinstance(engine.pool, QueuePool)
        return engine.pool in self._opened and engine.pool.checkedout() == 0


OF: dict[str, KeptConnections] = {}
"""What is kept, by the URL for the role of the service."""
