"""The worker is woken after the commit, by a NOTIFY that no transaction of a move carries."""

import json
from collections.abc import Iterator

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import text
from sqlalchemy.orm import Session

from service.jobs.workshop import Workshop
from service.store import waking
from service.store.queue import defer
from service.store.waking import CHANNEL, Waker

PATIENCE = 30.0
FORGET: dict[str, int | str] = {"address_hash": "00", "account": "AcCt", "until_ms": 0}


class Ear:
    """Hears what is sent on the channel of the workers."""

    def __init__(self, url: str) -> None:
        self._connection = psycopg.connect(url, autocommit=True)
        self._connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(CHANNEL)))

    def first(self) -> str:
        """The next thing that is heard; waits for it."""
        return next(self._connection.notifies(timeout=PATIENCE, stop_after=1)).payload

    def all(self) -> list[str]:
        """What has been heard up to now: of what was sent before this, nothing comes later."""
        with psycopg.connect(self._connection.info.dsn, autocommit=True) as other:
            other.execute(sql.SQL("NOTIFY {}, 'now'").format(sql.Identifier(CHANNEL)))
        heard = []
        while (payload := self.first()) != "now":
            heard.append(payload)
        return heard

    def close(self) -> None:
        self._connection.close()


@pytest.fixture
def ear(workshop: Workshop) -> Iterator[Ear]:
    ear = Ear(workshop.settings.database_url)
    yield ear
    ear.close()


@pytest.fixture
def waker(workshop: Workshop) -> Iterator[Waker]:
    """The waker that this process uses, until the test ends."""
    waker = Waker(workshop.settings)
    waking.use(waker)
    yield waker
    waking.use(None)
    waker.close()


def test_a_new_job_notifies_nobody_from_within_its_transaction(session: Session, ear: Ear) -> None:
    enabled = session.scalar(
        text("SELECT tgenabled FROM pg_trigger WHERE tgname = 'procrastinate_jobs_notify_queue_job_inserted_v1'")
    )
    assert enabled == "D"
    defer(session, "forget_mail", FORGET)
    session.commit()
    assert ear.all() == []


def test_the_worker_is_woken_once_a_job_is_committed_and_not_before(session: Session, ear: Ear, waker: Waker) -> None:
    defer(session, "forget_mail", FORGET)
    session.rollback()
    session.commit()
    with session.begin_nested():
        defer(session, "forget_mail", FORGET)
    assert ear.all() == []
    session.commit()
    assert json.loads(ear.first())["type"] == "job_inserted"
    session.execute(text("SELECT 1"))
    session.commit()
    waker.close()
    assert ear.all() == []
