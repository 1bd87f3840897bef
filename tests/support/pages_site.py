"""One application on one database for all tests of the pages; each test makes its own people and tables in it."""

from collections.abc import Callable, Iterator
from itertools import count

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import create_engine
from sqlalchemy.orm import Session

from service.config import Settings
from service.store.accounts import ensure_account
from service.store.base import engine_url
from tests.support.clock import NOW
from tests.support.databases import as_service
from tests.support.reused_database import ReusedDatabase
from tests.support.web import opened
from tests.support.world import KEYS

_numbers = count(1)


@pytest.fixture(scope="package")
def pages_database(
    create_database: Callable[[], str], drop_database: Callable[[str], None]
) -> Iterator[ReusedDatabase]:
    database = ReusedDatabase(create_database, drop_database, uses=None, ends_others=False)
    yield database
    database.close()


@pytest.fixture(scope="package")
def settings(pages_database: ReusedDatabase) -> Settings:
    return Settings(
        database_url=as_service(pages_database.emptied()),
        secret_keys=KEYS,
        base_url="https://nova-luna.example.org",
    )


@pytest.fixture
def emptied(pages_database: ReusedDatabase) -> None:
    """Empty the database that all tests of the pages share, for a test that compares all that is in it."""
    pages_database.emptied()


@pytest.fixture(scope="package")
def app(settings: Settings) -> Iterator[Flask]:
    with opened(settings, lambda: NOW) as app:
        yield app


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def session(settings: Settings) -> Iterator[Session]:
    engine = create_engine(engine_url(settings.database_url))
    with Session(engine, expire_on_commit=False) as session:
        yield session
    engine.dispose()


@pytest.fixture
def person(session: Session) -> Callable[[str], str]:
    """Return a function that creates an account with this name, and returns its id."""

    def make(name: str) -> str:
        address = f"{name.lower()}.{next(_numbers)}@example.org"
        return ensure_account(session, address, name=name, language=None, now=NOW).id

    return make
