"""The migrations create what the mapped classes declare, whoever runs them, and the log cannot be changed."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from psycopg import sql
from sqlalchemy import Engine, create_engine, inspect, text

from service.local.postgres import Postgres
from service.store import (
    accounts,
    blocks,
    delivery_preferences,
    explorations,
    imports,
    invitations,
    migrate,
    never_mail,
    tables,
    talk,
)
from service.store.base import Base, engine_url


@pytest.fixture
def empty_database(postgres: Postgres) -> Iterator[str]:
    """Create a database without any migration, and return its address."""
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE unmigrated")
        yield postgres.url_of("unmigrated")
        connection.execute(sql.SQL("DROP DATABASE unmigrated WITH (FORCE)"))


def test_the_mapped_classes_are_what_the_migrations_make(engine: Engine) -> None:
    mapped = {
        module.__name__
        for module in (
            accounts,
            blocks,
            explorations,
            imports,
            invitations,
            never_mail,
            tables,
            talk,
            delivery_preferences,
        )
    }
    assert {mapper.class_.__module__ for mapper in Base.registry.mappers} == mapped
    known = set(Base.metadata.tables)
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection,
            opts={
                "include_name": lambda name, kind, parents: kind != "table" or name in known,
                "compare_type": True,
            },
        )
        differences = [
            change
            for change in compare_metadata(context, Base.metadata)
            # Only the migrations say the sizes of integers, the precision of most times, and the indexes
            if isinstance(change, tuple) and change[0] in ("add_table", "add_column", "remove_column")
        ]
        assert differences == []
        for table in Base.metadata.sorted_tables:
            made = {column["name"]: column for column in inspect(connection).get_columns(table.name)}
            nullable = {name: column["nullable"] for name, column in made.items()}
            assert {column.name: column.nullable for column in table.columns} == nullable, table.name
            exact = [column for column in table.columns if getattr(column.type, "precision", None) is not None]
            for column in exact:
                kinds = [kind.compile(connection.dialect) for kind in (column.type, made[column.name]["type"])]
                assert kinds[0] == kinds[1], column


def test_upgrades_at_once_wait_for_one_another(empty_database: str) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(migrate.upgrade, [empty_database] * 4))
    engine = create_engine(engine_url(empty_database))
    with engine.connect() as connection:
        assert migrate.state(connection) == migrate.CURRENT
    engine.dispose()


def test_a_database_without_the_migrations_is_not_current(empty_database: str) -> None:
    engine = create_engine(engine_url(empty_database))
    with engine.connect() as connection:
        assert migrate.state(connection) != migrate.CURRENT
    engine.dispose()


def test_times_come_back_in_utc_and_ids_as_they_went(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO accounts (id, created_at) VALUES ('a', '2026-11-27T21:56:00+01:00')"))
        at = connection.scalar(text("SELECT created_at FROM accounts"))
    assert at.isoformat() == "2026-11-27T20:56:00+00:00"


def test_an_address_of_a_database_is_postgres_or_refused() -> None:
    for given in ("postgres://u:p@h/d", "postgresql://u:p@h/d", "postgresql+psycopg://u:p@h/d"):
        url = engine_url(given)
        assert url.drivername == "postgresql+psycopg"
        assert _connected_with(given) == {"user": "u", "password": "p", "host": "h", "dbname": "d"}
    with pytest.raises(ValueError, match="postgresql"):
        engine_url("sqlite://")


def test_an_address_with_several_hosts_stays_as_libpq_reads_it() -> None:
    given = "postgresql://u:p%40@one:5432,[::2]:5433/d?target_session_attrs=read-write&sslmode=require"
    assert _connected_with(given) == {
        "user": "u",
        "password": "p@",
        "host": "one,::2",
        "port": "5432,5433",
        "dbname": "d",
        "target_session_attrs": "read-write",
        "sslmode": "require",
    }


def _connected_with(given: str) -> dict[str, object]:
    """Return the arguments with which SQLAlchemy opens a connection to this address."""
    _, arguments = create_engine(engine_url(given)).dialect.create_connect_args(engine_url(given))
    return {name: value for name, value in arguments.items() if name != "context"}
