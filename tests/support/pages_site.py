"""One application on one database for all tests of the pages; each test makes its own people and tables in it."""

from collections.abc import Callable, Iterator
from itertools import count

import psycopg
import pytest
from flask import Flask
from flask.testing import FlaskClient
from psycopg import sql
from sqlalchemy import create_engine
from sqlalchemy.orm import Session

from service.config import Settings
from service.local.postgres import Postgres
from service.store.accounts import ensure_account
from service.store.base import engine_url
from tests.support.clock import NOW
from tests.support.databases import as_service
from tests.support.web import opened
from tests.support.world import KEYS

_numbers = count(1)


@pytest.fixture(scope="package")
def settings(postgres: Postgres, template: str) -> Iterator[Settings]:
    name = sql.Identifier("pages")
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(name, sql.Identifier(template)))
        yield Settings(
            database_url=as_service(postgres.url_of("pages")),
            secret_keys=KEYS,
            base_url="https://nova-luna.example.org",
        )
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))


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
