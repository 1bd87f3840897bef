"""Upgrade the schema of a database to the newest revision, and compare it with this program.

An upgrade may run while the service is running. A step never waits long for a lock, because everybody who comes later
would wait behind it. It gives up, lets the others through, and tries again.
"""

import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import structlog
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, NullPool, create_engine, text
from sqlalchemy.exc import DBAPIError

from service.config import Settings
from service.store import collation, rights
from service.store.base import engine_url
from service.store.connecting import OWNER, TimeoutPolicy, connect_args

MIGRATIONS = Path(__file__).resolve().parents[2] / "migrations"

CURRENT, BEHIND, AHEAD = "current", "behind", "ahead"

# The key of the advisory lock that serializes upgrades; any fixed number will do.
_LOCK = 7_303_014_182_651_904
_OTHER_SECONDS = 600
_OTHER_EVERY = 0.2

# Seconds before a step that got no lock is tried again. Each try may hold up others for the lock time-out.
_PAUSES = (1.0, 2.0, 5.0, 10.0, 20.0, 30.0)
_NO_LOCK = ("55P03", "40P01")  # lock_not_available, deadlock_detected


_log = structlog.get_logger(__name__)


class SchemaError(Exception):
    """The schema cannot be brought to this version; the text says why and what to do."""


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    return config


def upgrade(
    owner_url: str,
    service_url: str | None = None,
    *,
    to: str = "head",
    policy: TimeoutPolicy = OWNER,
    tries: int = len(_PAUSES) + 1,
    pause: Callable[[float], None] = time.sleep,
) -> None:
    """Run all migrations that this database has not had yet, each in a transaction of its own.

    Several processes may call this at once: one does the work, and the others wait and find nothing left to do. A
    migration that gets no lock in time, because of a long transaction, is tried again a few times.

    Args:
        owner_url: the database, as the role that owns its tables or will own them. Not through a pooler.
        service_url: the database, as the role that the service uses. If that is another role, it is granted its rights.
        to: the revision to stop at.
        policy: the time-outs.
        tries: the maximum of tries.
        pause: called with seconds between two tries.

    Raises:
        SchemaError: the database's encoding is not UTF8, the schema is that of a later version, or a lock was not
            available. Migrations that ran stay.
        RoleError: the role does not exist, or has too many rights.
    """
    arguments = connect_args(Settings(database_url=owner_url, secret_keys=()), policy, "novaluna migrate")
    arguments["client_encoding"] = "utf8"  # where it is that of the database, all text might be bytes
    engine = create_engine(engine_url(owner_url), poolclass=NullPool, connect_args=arguments)
    with engine.connect() as connection:
        _check_encoding(connection)
        _wait_for_others(connection, pause)  # the lock ends with the connection
        if state(connection) == AHEAD:
            raise SchemaError(
                "The database's schema is that of a later version of the service. Start that version, or restore a "
                "backup into an empty database."
            )
        connection.rollback()
        _patiently(lambda: command.upgrade(_config(connection), to), connection, _PAUSES[: tries - 1], pause)
        if service_url is not None:
            rights.grant(connection, service_url)
            connection.commit()
        if (outdated := collation.warning(connection)) is not None:
            _log.warning("collation", detail=outdated)


def _check_encoding(connection: Connection) -> None:
    """Refuse a database that can't hold every name and word, or does not know what its bytes mean."""
    encoding = connection.scalar(text("SHOW server_encoding"))
    if encoding != "UTF8":
        raise SchemaError(
            f"The database's encoding is {encoding}, and it has to be UTF8. Make another one: CREATE DATABASE ... "
            "TEMPLATE template0 ENCODING 'UTF8'."
        )


def _wait_for_others(connection: Connection, pause: Callable[[float], None]) -> None:
    """Take the advisory lock, by trying again and again.

    Waiting for it in one statement would hold up an index that the other process builds, which waits for all running
    statements.
    """
    for _ in range(int(_OTHER_SECONDS / _OTHER_EVERY)):
        got = connection.scalar(text("SELECT pg_try_advisory_lock(:key)"), {"key": _LOCK})
        connection.commit()
        if got:
            return
        pause(_OTHER_EVERY)
    raise SchemaError("Somebody else has been upgrading this database for ten minutes. Try again when that has ended.")


def _patiently(
    step: Callable[[], None], connection: Connection, pauses: Sequence[float], pause: Callable[[float], None]
) -> None:
    for seconds in (*pauses, None):
        try:
            step()
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) not in _NO_LOCK:
                raise
            connection.rollback()
            if seconds is None:
                raise SchemaError(
                    "A migration could not get its lock: some transaction stays open. Find it in pg_stat_activity, "
                    "end it, and try again."
                ) from None
            pause(seconds)
        else:
            return


class Revisions(NamedTuple):
    """The names of all revisions that this program knows, and of the newest."""

    names: frozenset[str]
    heads: frozenset[str]


@cache
def revisions() -> Revisions:
    """Return the revisions of this program: those whose files were there when this process asked for the first time.

    The files of a later version may be put in the place of these while the process runs.
    """
    script = ScriptDirectory.from_config(_config())
    return Revisions(
        frozenset(revision.revision for revision in script.walk_revisions()), frozenset(script.get_heads())
    )


def state(connection: Connection) -> str:
    """Compare the schema on this connection to this program.

    It is `CURRENT`, `BEHIND` (some migrations are still to be run), or `AHEAD` (a later version has run migrations that
    this program does not know).
    """
    known = revisions()
    found = set(MigrationContext.configure(connection).get_current_heads())
    if found == known.heads:
        return CURRENT
    return BEHIND if found <= known.names else AHEAD


def knows(revision: str) -> bool:
    """Return whether this program has a migration of this name."""
    return revision in revisions().names
