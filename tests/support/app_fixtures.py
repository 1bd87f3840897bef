"""Fixtures for all tests of the service: the web application, and a database without it.

This is a plugin of pytest (`tests/conftest.py`), so every process of the tests imports it. Packages that tests of the
engine do without are imported by the fixtures that need them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from io import StringIO
from itertools import count
from typing import TYPE_CHECKING

import pytest

from tests.support.clock import NOW, Clock

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient
    from sqlalchemy import Engine
    from sqlalchemy.orm import Session

    from service.commands.invitation_limits import InvitationLimits
    from tests.support.web import Person


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def make_app(database_url: str, clock: Clock) -> Iterator[Callable[..., Flask]]:
    """Yield a function that creates applications on this test's database, without limits unless settings give them."""
    from tests.support import web

    made: list[Flask] = []

    def make(**changes: object) -> Flask:
        made.append(web.make(clock, **{"database_url": database_url, **changes}))
        return made[-1]

    yield make
    for app in made:
        web.close(app)


@pytest.fixture(scope="session")
def offline() -> FlaskClient:
    """Return a client of an application without a database, for requests that are refused before any look-up."""
    from tests.support import web

    return web.without_database()


@pytest.fixture
def app(make_app: Callable[..., Flask]) -> Flask:
    return make_app()


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def sign_up(app: Flask) -> Callable[..., Person]:
    """Return a function that signs a person up: with an account and an access token, without mails."""
    from tests.support import web

    numbers = count(1)

    def sign(name: str | None = None, email: str | None = None) -> Person:
        return web.sign_up(app, email or f"player{next(numbers)}@example.org", name)

    return sign


@pytest.fixture
def lines() -> Iterator[StringIO]:
    """Yield the stream that the service writes its log lines to."""
    from service import logs
    from tests.support import log_setup

    stream = StringIO()
    with log_setup.kept():
        logs.configure(stream)
        yield stream


def _engine(url: str) -> Iterator[Engine]:
    from sqlalchemy import create_engine

    from service.store.base import engine_url

    engine = create_engine(engine_url(url))
    yield engine
    engine.dispose()


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """Yield an SQLAlchemy engine for a fresh database, with the role that the service uses."""
    from tests.support import kept_connections

    if kept := kept_connections.OF.get(database_url):
        with kept.engine(database_url) as engine:
            yield engine
    else:
        yield from _engine(database_url)


@pytest.fixture
def owner(owner_url: str) -> Iterator[Engine]:
    """Yield an engine for the same database with the role that owns its tables, which has more rights."""
    yield from _engine(owner_url)


@pytest.fixture
def session(engine: Engine) -> Iterator[Session]:
    from sqlalchemy.orm import Session

    with Session(engine, expire_on_commit=False) as session:
        yield session


@pytest.fixture
def limits(engine: Engine) -> InvitationLimits:
    """Return limits on invitations that allow any number, with counters for tests that set an amount."""
    from service.access.limits import Limiter
    from service.commands.invitation_limits import InvitationLimits
    from service.store.rate_limits import RateLimitStorage
    from tests.support.world import KEYS

    storage = RateLimitStorage(lambda: engine, lambda: NOW)
    return InvitationLimits(Limiter(storage, KEYS[0], lambda: NOW, storage.within), per_account=0, per_recipient=0)
