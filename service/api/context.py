"""The context of an application, for its requests: settings, clock, limiter, database connections and caches."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from flask import Flask, current_app, request

from service.access.limits import Limiter
from service.api.downloads import Downloads
from service.commands.account_limits import AccountLimits
from service.commands.code_limits import CodeLimits
from service.config import Settings
from service.events.hub import Hub
from service.pictures.cache import ByteCache
from service.queries.records import RecordCache
from service.queries.table_cache import TableCache
from service.store.autocommit_pool import AutocommitPool
from service.store.replicas import Replicas

_EXTENSION = "novaluna"

_MOST_TABLES = 1024

_MOST_RECORDS = 256
"""The number of records that a process caches, of some 10 kB each."""

_DRAWN = 16 * 1024 * 1024
"""The size of the SVG cache of a process in bytes, enough for some hundred pictures."""

_PAGES = 16 * 1024 * 1024
"""The size of the caches of a process for pages of tables, plain and compressed, in bytes; enough for some hundred."""


@dataclass(frozen=True)
class Context:
    """The objects that ``create_app`` provides for the API; the functions below return those of Flask's application."""

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
        extensions[_EXTENSION] = self


def context_of(app: Flask) -> Context:
    """Return the context of an application."""
    context: Context = app.extensions[_EXTENSION]
    return context


def context() -> Context:
    """Return the context of this application."""
    return context_of(current_app)


def now() -> datetime:
    """Return the time, in UTC, by the application's clock."""
    return context().clock()


def settings() -> Settings:
    """Return the settings of this application."""
    return context().settings


def limiter() -> Limiter:
    """Return the rate limiter of this application."""
    return context().limiter


def pool() -> AutocommitPool:
    """Return the autocommit connection pool, for statements on the hot path."""
    return context().pool


def hub() -> Hub:
    """Return the hub that passes new events on in this process."""
    return context().hub


def client_ip() -> str:
    """Return the caller's IP address: the peer's, or the one forwarded by the proxies that the settings trust."""
    return request.remote_addr or ""


def code_limits() -> CodeLimits:
    """Return the limits on the codes that this caller may request and try."""
    limits = settings()
    per_ip, per_address = limits.limit_sign_ins_per_ip, limits.limit_sign_ins_per_address
    return CodeLimits(limiter(), client_ip(), per_ip, per_address, limits.limit_code_tries)


def bounds() -> AccountLimits:
    """Return the limits on the open tables, games and invitations of an account."""
    return AccountLimits(settings(), limiter())
