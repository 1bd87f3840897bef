"""The worker is woken after the commit, by a NOTIFY that is not part of a move's transaction."""

import json
from collections.abc import Iterator
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import psycopg
import pytest
from flask import Flask
from psycopg import sql
from sqlalchemy import text
from sqlalchemy.orm import Session

from engine.moves import to_json
from service.access import tokens
from service.ids import new_id
from service.jobs.worker_context import WorkerContext
from service.store import events, waking
from service.store.accounts import Token
from service.store.queue import defer
from service.store.waking import CHANNEL, Waker
from tests.support import world
from tests.support.clock import NOW
from tests.support.running import eventually
from tests.unit.jobs.job_queue import mail_jobs
from tests.unit.jobs.slow_relay import SlowRelay
from tests.unit.jobs.worker_process import PATIENCE, a_worker

FORGET: dict[str, int | str] = {"address_hash": "00", "account": "AcCt", "until_ms": 0}


class Ear:
    """A listener on the channel of the workers."""

    def __init__(self, url: str) -> None:
        self._connection = psycopg.connect(url, autocommit=True)
        self._heard: list[str] = []
        self._connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(CHANNEL)))

    def first(self) -> str:
        """Wait for the next notification, and return it."""
        if not self._heard:  # several may come at once
            self._heard = [notice.payload for notice in self._connection.notifies(timeout=PATIENCE, stop_after=1)]
        return self._heard.pop(0)

    def all(self) -> list[str]:
        """Return all notifications so far; of what was sent before this call, none comes later."""
        with psycopg.connect(self._connection.info.dsn, autocommit=True) as other:
            other.execute(sql.SQL("NOTIFY {}, 'now'").format(sql.Identifier(CHANNEL)))
        heard = []
        while (payload := self.first()) != "now":
            heard.append(payload)
        return heard

    def cut(self, name: str) -> None:
        """Close the last connection with this name, and wait until it is gone.

        Those of other tests may be closing.
        """
        last = "SELECT pid FROM pg_stat_activity WHERE application_name = %s ORDER BY backend_start DESC LIMIT 1"
        query = f"SELECT pg_terminate_backend(pid, 30000) FROM ({last})"
        assert self._connection.execute(query, (name,)).fetchall() == [(True,)]

    def close(self) -> None:
        self._connection.close()


@pytest.fixture
def ear(context: WorkerContext) -> Iterator[Ear]:
    ear = Ear(context.settings.database_url)
    yield ear
    ear.close()


@pytest.fixture
def waker(context: WorkerContext) -> Iterator[Waker]:
    """Yield the waker that this process uses until the test ends."""
    waker = Waker(context.settings)
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


def unplaced(session: Session) -> int:
    """Return the number of events that have no position yet."""
    session.rollback()
    return int(session.scalar(text("SELECT count(*) FROM new_events")) or 0)


def test_an_event_is_placed_once_it_is_committed(session: Session, waker: Waker) -> None:
    world.open_table(session, world.account(session, "Ann"))
    assert session.scalar(text("SELECT count(*) FROM new_events")), "it was written, and is not committed yet"
    session.commit()
    eventually(lambda: unplaced(session) == 0, PATIENCE)


def test_an_event_is_announced_after_its_commit_and_not_a_savepoint(session: Session, waker: Waker) -> None:
    world.open_table(session, world.account(session, "Ann"))
    session.commit()
    eventually(lambda: unplaced(session) == 0, PATIENCE)
    account, key = session.execute(text("SELECT account, game FROM seats ORDER BY game DESC LIMIT 1")).one()
    with session.begin_nested():
        events.add(session, events.CHANGE, game=key, account=account, now=NOW)
    assert not waker._has_events
    session.commit()
    eventually(lambda: unplaced(session) == 0, PATIENCE)


def test_an_event_that_nobody_announced_is_placed_all_the_same(context: WorkerContext, session: Session) -> None:
    world.open_table(session, world.account(session, "Ann"))
    session.commit()
    assert unplaced(session) > 0
    waker = Waker(context.settings, places_every=0.1)
    waker.start()
    eventually(lambda: unplaced(session) == 0, PATIENCE)
    waker.close()


def test_many_wakes_are_put_together(context: WorkerContext, ear: Ear) -> None:
    waker = Waker(context.settings, pause=10 * PATIENCE)
    for _ in range(1000):
        waker.wake()
    ear.first()
    for _ in range(1000):
        waker.wake()
    assert ear.all() == []
    waker.close()  # sends what is left without waiting for the end of the pause
    ear.first()
    waker.wake()
    assert ear.all() == []


def test_a_connection_that_was_cut_is_made_anew_at_the_next_wake(context: WorkerContext, ear: Ear) -> None:
    waker = Waker(context.settings, pause=0)
    waker.wake()
    ear.first()
    ear.cut("novaluna waking")
    waker.wake()
    ear.first()
    waker.close()


def test_each_process_after_a_fork_wakes_by_itself(context: WorkerContext, ear: Ear) -> None:
    waker = Waker(context.settings, pause=0)
    waker.wake()
    ear.first()
    child = get_context("fork").Process(target=_wake_and_close, args=(waker,))
    child.start()
    ear.first()
    child.join(PATIENCE)
    assert child.exitcode == 0
    waker.wake()
    ear.first()
    waker.close()


def _wake_and_close(waker: Waker) -> None:
    waker.wake()
    waker.close()


def test_a_process_that_does_not_close_its_waker_ends_all_the_same(context: WorkerContext) -> None:
    child = get_context("fork").Process(target=Waker(context.settings).start, daemon=True)
    child.start()
    child.join(PATIENCE)
    assert child.exitcode == 0


def test_a_database_that_is_away_at_waking_disturbs_no_request(app: Flask, context: WorkerContext) -> None:
    waker = Waker(replace(context.settings, database_url="postgresql:///none?host=/nonexistent"))
    waking.use(waker)
    try:
        for number in range(3):
            answer = app.test_client().post("/v1/sign-ins", json={"email": f"ann{number}@example.org"})
            assert answer.status_code == 202
    finally:
        waking.use(None)
        waker.close()


@pytest.mark.slow
def test_a_move_over_http_wakes_a_worker_that_never_looks_by_itself(
    app: Flask, session: Session, context: WorkerContext, waker: Waker, relay: SlowRelay, tmp_path: Path
) -> None:
    relay.go_on.set()
    people = {name: sign_in(session, name) for name in ("Ann", "Ben")}
    table = world.match(session, *(account for account, _ in people.values()))
    session.commit()
    token_of = dict(people.values())
    with a_worker(context, relay, tmp_path / "log", told=f"polling={10 * PATIENCE}"):
        relay.taken.get(timeout=PATIENCE)  # for the first turn, found when it started
        eventually(lambda: listens(session), PATIENCE)
        mails = 0
        while not mails:  # until it is another player's turn
            now = world.loaded(session, table)
            session.rollback()
            turn = now.state.turn
            assert turn is not None
            body = to_json(now.state.legal_moves()[0]) | {"expected_version": now.version}
            headers = {"Authorization": f"Bearer {token_of[now.accounts[turn]]}"}
            answer = app.test_client().post(f"/v1/games/{table}/moves", json=body, headers=headers)
            assert answer.status_code == 201, answer.text
            mails = len(mail_jobs(session)) - 1
        relay.taken.get(timeout=PATIENCE)


def sign_in(session: Session, name: str) -> tuple[str, str]:
    """Return an account and a token of it."""
    account, token = world.account(session, name), tokens.new_token()
    session.add(Token(id=new_id(), account=account, hash=tokens.hash_of(token), created_at=NOW))
    return account, token


def listens(session: Session) -> bool:
    """Return whether a worker waits to be woken."""
    session.rollback()
    query = """
        SELECT count(*) FROM pg_stat_activity
         WHERE application_name = 'novaluna queue' AND query LIKE 'LISTEN%' AND state = 'idle'
    """
    return bool(session.scalar(text(query)))
