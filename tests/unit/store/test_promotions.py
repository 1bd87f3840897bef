"""A connection to a server that has taken over begins a new epoch where that server may lack something."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from sqlalchemy import Engine, text
from sqlalchemy.orm import Session

from service.store import epoch, promotions
from service.store.connecting import WEB, WORK
from service.store.primary import NotPrimary
from service.store.timeouts import async_connection_class, connection_class
from tests.support.at_once import at_once

_ASKING = "target_session_attrs=read-write"
_FORMER = "00000000"
_CONNECTIONS = connection_class(WEB)


@pytest.fixture
def address(database_url: str) -> str:
    """Return an address that asks for the primary of several servers."""
    return f"{database_url}&{_ASKING}"


def stored(owner: Engine) -> tuple[str, int, str]:
    with owner.connect() as connection:
        row = connection.execute(text("SELECT value, counted_from, timeline FROM epoch")).one()
    return row[0], row[1], row[2]


def take_over(owner: Engine) -> None:
    """Store another timeline, as if this server had taken the place of another one."""
    with owner.begin() as connection:
        connection.execute(text(f"UPDATE epoch SET timeline = '{_FORMER}'"))


@contextmanager
def connected(address: str) -> Iterator[psycopg.Connection[Any]]:
    with _CONNECTIONS.connect(address, autocommit=True) as connection:
        yield connection


def test_the_first_connections_after_it_begin_one_epoch(owner: Engine, address: str) -> None:
    before = stored(owner)
    take_over(owner)

    def ask() -> tuple[Any, ...] | None:
        with connected(address) as connection:
            return connection.execute("SELECT value FROM epoch").fetchone()

    names = set(at_once(*[ask] * 8))
    after = stored(owner)
    assert names == {(after[0],)}, "nobody saw the former epoch"
    assert after[0] != before[0] and after[1] > before[1] + 1000 and after[2] == before[2]
    with connected(address):
        assert stored(owner) == after


def test_the_worker_begins_an_epoch_too(owner: Engine, address: str) -> None:
    before = stored(owner)
    take_over(owner)

    async def connect() -> None:
        async with await async_connection_class(WORK).connect(address):
            pass

    asyncio.run(connect())
    assert stored(owner)[0] != before[0]


def test_where_nobody_asks_for_a_primary_no_epoch_begins(owner: Engine, database_url: str) -> None:
    take_over(owner)
    before = stored(owner)
    with connected(database_url):
        assert stored(owner) == before


def test_a_server_of_an_earlier_timeline_is_refused(
    owner: Engine, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(promotions, "_newest", {})
    with connected(address):
        (system,) = promotions._newest
    promotions._newest[system] = "000000FF"
    with pytest.raises(NotPrimary, match="replaced by a server on 000000FF"):
        _CONNECTIONS.connect(address)


def test_a_database_without_a_schema_can_be_used(owner: Engine, address: str) -> None:
    with owner.begin() as connection:
        connection.execute(text("ALTER TABLE epoch RENAME COLUMN timeline TO former"))
    with connected(address) as asked:
        assert asked.execute("SELECT 1").fetchone() == (1,)
    with owner.begin() as connection:
        connection.execute(text("ALTER TABLE epoch RENAME TO former"))
    with connected(address) as asked:
        assert asked.execute("SELECT 1").fetchone() == (1,)


def test_a_role_that_may_not_begin_an_epoch_is_refused(owner: Engine, address: str) -> None:
    take_over(owner)
    with owner.begin() as connection:
        connection.execute(text("REVOKE UPDATE ON epoch FROM PUBLIC, novaluna_service"))
    with pytest.raises(NotPrimary, match="permission denied"):
        _CONNECTIONS.connect(address)


def test_revisions_go_on_behind_those_that_were_lost(owner: Engine, engine: Engine) -> None:
    with owner.begin() as connection:
        epoch.renew(connection)
    counted_from = stored(owner)[1]
    with Session(engine) as session:
        assert epoch.next_revision(session, 7) == counted_from + 1
        assert epoch.next_revision(session, counted_from + 1) == counted_from + 2
