"""The fixtures of the web application, and a database without it, for all tests of the service."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine, create_engine

from service.store.base import engine_url
from tests.web import app, client, clock, make_app, offline, sign_up

__all__ = ["app", "client", "clock", "make_app", "offline", "sign_up"]


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """A fresh database, through SQLAlchemy, as the service uses it."""
    engine = create_engine(engine_url(database_url))
    yield engine
    engine.dispose()


@pytest.fixture
def owner(owner_url: str) -> Iterator[Engine]:
    """The same as the owner of its tables, who may do what the service may not."""
    engine = create_engine(engine_url(owner_url))
    yield engine
    engine.dispose()
