"""Do what time asks for: steps of clocks, reminders, and giving back outages (CLOCKS.md 5, 6, 8, 9).

Every worker looks every few seconds, by an index, for games that something has to be done about, and works them off, a
transaction each. Of several workers each takes the games that no other one has. A step is written only in the
transaction in which it is found to be due, by the database's clock. While a part of the service fails, nothing is done.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from threading import Event

import structlog
from procrastinate import App
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session

from service import metrics
from service.commands import clock_steps, outages, reminding
from service.jobs.backoff import SOON
from service.jobs.worker_context import WorkerContext
from service.store import clock, due_games, queue, reminders, signs
from service.store.batches import Batch
from service.store.clock import DatabaseClock
from service.store.due_games import DueGame
from service.store.signs import MAILIN, RELAY, WEB, WORKER

EVERY = 5.0
"""Seconds between two looks."""

_AT_ONCE = 100
"""The most games, and reminders, that are looked for at once."""

_log = structlog.get_logger(__name__)


def register(app: App, context: WorkerContext) -> None:
    """Register the task that does at once what follows from an entry, such as a bot's move."""

    @app.task(name="settle_clock", retry=SOON, queue=queue.URGENT)
    def settle_clock(game: str) -> None:
        settle_now(context, game)


def settle_now(context: WorkerContext, game: str) -> None:
    """Do what is due in one game, given by its id."""
    with context.sessions.begin() as session:
        found = due_games.by_id(session, game)
        if found is None:
            return
        due_games.lock(session, found.key)
        now = read_clock(context, session)
        may_step = not signs.failing(session, now, watched(context))
        metrics.clock_steps(clock_steps.settle(session, found, now, may_step=may_step, plays_bots=True))


def watched(context: WorkerContext) -> set[str]:
    """Return the parts of the service whose failure stops the clocks.

    A host that takes in no mail, or has no mail server, has no such part that could fail.
    """
    settings = context.settings
    parts = {WORKER, WEB}
    if settings.mail_in is not None:
        parts.add(MAILIN)
    if settings.smtp_url is not None:
        parts.add(RELAY)
    return parts


def read_clock(context: WorkerContext, session: Session) -> datetime:
    """Return the time: by the database's clock, read in this transaction, or as the context tells it."""
    if isinstance(context.clock, DatabaseClock):
        return clock.read(session)
    return context.clock()


async def keep_looking(context: WorkerContext, every: float = EVERY) -> None:
    """Look for what is due, again and again, until this is canceled."""
    over = Event()
    try:
        while True:
            await asyncio.to_thread(_look_safely, context, over)
            await asyncio.sleep(every)
    finally:
        over.set()  # the thread goes on otherwise, until it has worked off all


def _look_safely(context: WorkerContext, over: Event) -> None:
    try:
        look(context, over)
    except (DBAPIError, PoolTimeout) as error:
        _log.warning("nobody looked for what is due; it is tried again", why=type(error).__name__)
    except Exception as error:  # noqa: BLE001  (without this, nobody would look any more)
        _log.error("nobody looked for what is due; it is tried again", exc_info=error)


def look(context: WorkerContext, over: Event | None = None) -> None:
    """Give a sign of the worker's life, and do all that is due, or some of it once it is `over`."""
    over = over or Event()
    with context.sessions.begin() as session:
        now = read_clock(context, session)
        signs.sign(session, WORKER, now)
    if not _give_back_outages(context, over) or _is_failing(context):
        return
    _work_off_games(context, over)
    _work_off_reminders(context, over)


def _is_failing(context: WorkerContext) -> bool:
    """Return whether a part of the service fails, so that nothing may be done."""
    with context.session() as session:
        failing = signs.failing(session, read_clock(context, session), watched(context))
    if failing:
        _log.warning("the clocks wait, as a part of the service gives no sign of life", parts=failing)
    return bool(failing)


def _give_back_outages(context: WorkerContext, over: Event) -> bool:
    """Give the clocks of all games back what the failures that have ended cost them; return whether that is done."""
    with context.session() as session:
        failures = signs.unsettled(session)
        games = due_games.with_clock(session) if failures else []
    for failure in failures:
        batch = Batch("outage")
        given = 0
        for game in games:
            if over.is_set():
                return False
            with _of_one(batch, game.id), context.sessions.begin() as session:
                due_games.lock(session, game.key)
                given += outages.give_back(session, game, failure, read_clock(context, session))
        with context.sessions.begin() as session:
            signs.settled(session, failure, read_clock(context, session))
        span = failure.ended_at - failure.began_at
        _log.info("outage given back", part=failure.part, minutes=int(span.total_seconds()) // 60, games=given)
    return True


def _work_off_games(context: WorkerContext, over: Event) -> None:
    """Settle the games that are due, those that are due first before the others, each once."""
    batch, seen = Batch("deadlines"), set[int]()
    while not over.is_set():
        with context.session() as session:
            games = due_games.due(session, read_clock(context, session), _AT_ONCE, seen)
        if not games:
            return
        for game in games:
            if over.is_set():
                return
            seen.add(game.key)
            with _of_one(batch, game.id), context.sessions.begin() as session:
                _settle(context, session, game)


def _settle(context: WorkerContext, session: Session, game: DueGame) -> None:
    """Settle a game, unless another worker is working on it, or has done so."""
    if not due_games.try_lock(session, game.key):
        return
    now = read_clock(context, session)
    if due_games.is_due(session, game.key, now) and not signs.failing(session, now, watched(context)):
        metrics.clock_steps(clock_steps.settle(session, game, now))


def _work_off_reminders(context: WorkerContext, over: Event) -> None:
    """Send the reminders that are due, an account at a time."""
    batch, seen = Batch("reminders"), set[str]()
    while not over.is_set():
        with context.session() as session:
            accounts = reminders.due(session, read_clock(context, session), _AT_ONCE, seen)
        if not accounts:
            return
        for account in accounts:
            seen.add(account)
            with _of_one(batch, account), context.sessions.begin() as session:
                now = read_clock(context, session)
                if not signs.failing(session, now, watched(context)):
                    metrics.reminders(int(reminding.send_due(session, account, now)))


@contextmanager
def _of_one(batch: Batch, key: str) -> Iterator[None]:
    """Set aside what fails, so that it does not stop the others."""
    try:
        yield
    except Exception as error:
        if isinstance(error, PoolTimeout) or (isinstance(error, DBAPIError) and error.connection_invalidated):
            raise
        batch.set_aside(key, error)
