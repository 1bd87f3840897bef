"""What a request can ask of the application it runs in: settings, the clock, the limiter, the hot path, who is calling."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from flask import Flask, current_app, request

from service.access.limits import Limiter
from service.commands.account_limits import AccountLimits
from service.commands.code_limits import CodeLimits
from service.config import Settings
from service.pictures.cache import ByteCache
from service.queries.records import RecordCache
from service.queries.table_cache import TableCache
from service.store.autocommit_pool import AutocommitPool

_EXTENSION = "novaluna"

_MOST_TABLES = 1024

_MOST_RECORDS = 256
"""How many records a process caches, of some 10 kB each."""

_DRAWN = 16 * 1024 * 1024
"""Bytes of pictures as SVG that a process caches: some hundred."""


@dataclass(frozen=True)
class Context:
    """What ``create_app`` joins for the API: hung up once at the application, read by the functions below."""

    settings: Settings
    clock: Callable[[], datetime]
    limiter: Limiter
    pool: AutocommitPool
    tables: TableCache = field(default_factory=lambda: TableCache(_MOST_TABLES), repr=False)
    records: RecordCache = field(default_factory=lambda: RecordCache(_MOST_RECORDS), repr=False)
    drawings: ByteCache = field(default_factory=lambda: ByteCache(_DRAWN), repr=False)

    def init_app(self, extensions: dict[str, object]) -> None:
        """Makes this the context of the application with these extensions."""
        extensions[_EXTENSION] = self


def context_of(app: Flask) -> Context:
    """The context of an application."""
    context: Context = app.extensions[_EXTENSION]
    return context


def _context() -> Context:
    return context_of(current_app)


def now() -> datetime:
    """The time, in UTC, by the application's clock."""
    return _context().clock()


def settings() -> Settings:
    """The settings of this application."""
    return _context().settings


def limiter() -> Limiter:
    """The limiter of this application."""
    return _context().limiter


def pool() -> AutocommitPool:
    """For the statements of the hot path."""
    return _context().pool


def client_ip() -> str:
    """The caller's IP: the peer's, or the one forwarded by the proxies that the settings trust."""
    return request.remote_addr or ""


def code_limits() -> CodeLimits:
    """How many codes this caller may ask for and try."""
    limits = settings()
    per_ip, per_address = limits.limit_sign_ins_per_ip, limits.limit_sign_ins_per_address
    return CodeLimits(limiter(), client_ip(), per_ip, per_address, limits.limit_code_tries)


def bounds() -> AccountLimits:
    """How much an account may have standing."""
    return AccountLimits(settings(), limiter())
