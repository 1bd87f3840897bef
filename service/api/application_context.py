"""The context of an application, for its requests: settings, clock, limiter, database connections and caches.

This module is independent of the web framework; `service.api.context` finds the context of a Flask application.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from service.access.limits import Limiter
from service.api.downloads import Downloads
from service.config import Settings
from service.events.hub import Hub
from service.pictures.cache import ByteCache
from service.queries.records import RecordCache
from service.queries.table_cache import TableCache
from service.store.autocommit_pool import AutocommitPool
from service.store.replicas import Replicas

EXTENSION = "novaluna"
"""The name that the context has among the extensions of its application."""

_MOST_TABLES = 1024

_MOST_RECORDS = 256
"""The number of records that a process caches, of some 10 kB each."""

_DRAWN = 16 * 1024 * 1024
"""The size of the SVG cache of a process in bytes, enough for some hundred pictures."""

_PAGES = 16 * 1024 * 1024
"""The size of the caches of a process for pages of tables, plain and compressed, in bytes; enough for some hundred."""


@dataclass(frozen=True)
class Context:
    """The objects that ``create_app`` provides for the requests of an application."""

    settings: Settings
    clock: Callable[[], datetime]
    limiter: Limiter
    pool: AutocommitPool
    hub: Hub
    downloads: Downloads
    replicas: Replicas | None = None
    tables: TableCache = field(default_factory=lambda: TableCache(_MOST_TABLES), repr=False)
    records: RecordCache = field(default_factory=lambda: RecordCache(_MOST_RECORDS), repr=False)
    drawings: ByteCache[bytes] = field(default_factory=lambda: ByteCache(_DRAWN), repr=False)
    pages: ByteCache[Any] = field(default_factory=lambda: ByteCache(_PAGES), repr=False)
    packed_pages: ByteCache[Any] = field(default_factory=lambda: ByteCache(_PAGES), repr=False)

    def init_app(self, extensions: dict[str, object]) -> None:
        """Register this as the context of the application with these extensions."""
        extensions[EXTENSION] = self
