"""Audit the games of a range of keys, each range in a snapshot of its own that changes nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from sqlalchemy import Engine, create_engine, text
from sqlalchemy.orm import Session

from service.auditing import explorations, imports
from service.auditing.differences import AuditDifference
from service.auditing.games import differences
from service.auditing.stored_games import StoredGame, read
from service.config import Settings
from service.queries import checkpoint_audit
from service.store.base import engine_url
from service.store.connecting import TimeoutPolicy, connect_args

RETRIES, PAUSE = 3, 1.0
"""How often, and after how many seconds, a clock is looked at again that waits for a worker to look at it."""

_TIMEOUTS = TimeoutPolicy(statement=600, lock=60, idle=600)
"""Long enough for a migration that goes on meanwhile, and for games that take long to replay."""

_FOLLOWS_SETTINGS = {"clock", "runs_out_at"}
"""The columns that follow from the players' settings, too: the worker renews them soon after these have changed."""

_NOW = text("SELECT statement_timestamp()")
_LAST = text("SELECT coalesce(max(key), 0) FROM tables")
_KEY = text("SELECT key FROM tables WHERE id = :id")
_ID = text("SELECT id FROM tables WHERE key <= :key ORDER BY key DESC LIMIT 1")


def connected(settings: Settings) -> Engine:
    """Return an engine whose transactions read one snapshot each, and can write nothing."""
    engine = create_engine(
        engine_url(settings.database_url),
        pool_size=1,
        hide_parameters=True,
        connect_args=connect_args(settings, _TIMEOUTS, "novaluna audit"),
    )
    return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


@contextmanager
def snapshot(engine: Engine) -> Iterator[Session]:
    """Yield a session in a snapshot, which is released at the end."""
    with Session(engine) as session:
        yield session
        session.rollback()


def audit_range(engine: Engine, after: int, upto: int) -> tuple[int, list[AuditDifference]]:
    """Audit the tables with a key after one and up to another: return their number, and where they are wrong."""
    games, found, pending = 0, list[AuditDifference](), list[int]()
    with snapshot(engine) as session:
        now: datetime = session.execute(_NOW).scalar_one()
        for game in read(session, after, upto):
            games += 1
            wrong = differences(session, game)
            if _waits_for_look(game, wrong, now):
                pending.append(game.table.key)
            else:
                found += wrong
    for key in pending:
        found += _looked_at_again(engine, key)
    return games, found


def audit_rest(engine: Engine) -> Iterator[AuditDifference]:
    """Yield what is wrong with what belongs to no range: imports, explorations, and the checkpoints over all games."""
    with snapshot(engine) as session:
        yield from imports.differences(session)
    with snapshot(engine) as session:
        yield from explorations.differences(session)
    with snapshot(engine) as session:
        for found in checkpoint_audit.compare(session):
            yield AuditDifference(*found)


def _waits_for_look(game: StoredGame, wrong: list[AuditDifference], now: datetime) -> bool:
    """Return whether a worker is about to correct all that is wrong, because it is due to look at the game."""
    due = game.progress.clock_due_at if game.progress is not None else None
    return bool(wrong) and due is not None and due <= now and {each.column for each in wrong} <= _FOLLOWS_SETTINGS


def _looked_at_again(engine: Engine, key: int) -> list[AuditDifference]:
    wrong: list[AuditDifference] = []
    for _ in range(RETRIES):
        time.sleep(PAUSE)
        with snapshot(engine) as session:
            wrong = [found for game in read(session, key - 1, key) for found in differences(session, game)]
        if not wrong:
            break
    return wrong


def last_key(session: Session) -> int:
    """Return the highest key of a table, 0 if there is none."""
    return int(session.execute(_LAST).scalar_one())


def key_of(session: Session, game: str) -> int | None:
    """Return the key of a table, given by its id, or None."""
    found = session.execute(_KEY, {"id": game}).scalar_one_or_none()
    return None if found is None else int(found)


def id_upto(session: Session, key: int) -> str | None:
    """Return the id of the last table whose key is not beyond this one, or None."""
    found = session.execute(_ID, {"key": key}).scalar_one_or_none()
    return None if found is None else str(found)
