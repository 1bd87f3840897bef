"""Brings the schema of a database to the newest revision, and tells whether it is there."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, NullPool, create_engine, text

from service.store.base import engine_url

MIGRATIONS = Path(__file__).resolve().parents[2] / "migrations"

#: Key of the advisory lock that makes upgrades at the same time wait for one another. Any fixed number does.
_LOCK = 7_303_014_182_651_904


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    return config


def upgrade(database_url: str) -> None:
    """Runs all migrations that this database has not had yet, in one transaction.

    Safe to call from several processes at once: an advisory lock lets them through one by one, and the
    later ones find nothing to do.
    """
    engine = create_engine(engine_url(database_url), poolclass=NullPool)
    with engine.begin() as connection:
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        command.upgrade(_config(connection), "head")


def is_current(connection: Connection) -> bool:
    """Whether the database on this connection has had every migration that this program knows."""
    heads = set(ScriptDirectory.from_config(_config()).get_heads())
    return set(MigrationContext.configure(connection).get_current_heads()) == heads
