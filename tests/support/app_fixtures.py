"""Fixtures for all tests of the service: the web application, and a database without it."""

import logging
from collections.abc import Iterator
from io import StringIO

import pytest
import structlog
from sqlalchemy import Engine, create_engine
from sqlalchemy.orm import Session

from service import logs
from service.access.limits import Limiter
from service.commands.invitations import InvitationLimits
from service.store.base import engine_url
from service.store.rate_limits import RateLimitStorage
from tests.support.clock import NOW
from tests.support.web import app, client, clock, make_app, offline, sign_up
from tests.support.world import KEYS

__all__ = [
    "app",
    "client",
    "clock",
    "engine",
    "limits",
    "lines",
    "make_app",
    "offline",
    "owner",
    "session",
    "sign_up",
]


@pytest.fixture
def lines() -> Iterator[StringIO]:
    """Yield the stream that the service writes its log lines to."""
    root = logging.getLogger()
    handlers, level, stream, before = root.handlers[:], root.level, StringIO(), structlog.get_config()
    logs.configure(stream)
    # Otherwise each logger that is first used in the meantime would keep this configuration.
    structlog.configure(**structlog.get_config() | {"cache_logger_on_first_use": False})
    yield stream
    root.handlers, root.level = handlers, level
    structlog.configure(**before)


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """Yield an SQLAlchemy engine for a fresh database, with the role that the service uses."""
    engine = create_engine(engine_url(database_url))
    yield engine
    engine.dispose()


@pytest.fixture
def owner(owner_url: str) -> Iterator[Engine]:
    """Yield an engine for the same database with the role that owns its tables, which has more rights."""
    engine = create_engine(engine_url(owner_url))
    yield engine
    engine.dispose()


@pytest.fixture
def session(engine: Engine) -> Iterator[Session]:
    with Session(engine, expire_on_commit=False) as session:
        yield session


@pytest.fixture
def limits(engine: Engine) -> InvitationLimits:
    """Return limits on invitations that allow any number, with counters for tests that set an amount."""
    storage = RateLimitStorage(lambda: engine, lambda: NOW)
    return InvitationLimits(Limiter(storage, KEYS[0], lambda: NOW, storage.within), per_account=0, per_recipient=0)
