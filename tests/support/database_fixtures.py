"""Fixtures of empty databases, for tests that act on whole databases. This is a plugin of pytest."""

from collections.abc import Callable, Iterator
from itertools import count

import psycopg
import pytest
from psycopg import sql

from service.local.postgres import Postgres

_numbers = count(1)


def _maker(postgres: Postgres) -> Iterator[Callable[[], str]]:
    made: list[sql.Identifier] = []
    with psycopg.connect(postgres.url, autocommit=True) as connection:

        def make() -> str:
            name = f"kept_{next(_numbers)}"
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
            made.append(sql.Identifier(name))
            return postgres.url_of(name)

        yield make
        for name in made:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))


@pytest.fixture
def make_database(postgres: Postgres) -> Iterator[Callable[[], str]]:
    """Yield a function that creates a database without any migration, and returns its URL as the owner."""
    yield from _maker(postgres)


@pytest.fixture(scope="module")
def make_module_database(postgres: Postgres) -> Iterator[Callable[[], str]]:
    """Yield a function that creates a database as `make_database` does, for all tests of a module."""
    yield from _maker(postgres)
