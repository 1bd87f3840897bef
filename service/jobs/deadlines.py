"""Do what is due: steps of clocks, reminders, and the return of time lost to outages (CLOCKS.md 5, 6, 8, 9).

Every worker looks every few seconds, by an index, for games in which something is due, and handles them in a
transaction each. Several workers share the games: each takes those that no other one has locked. A step is written only
in the transaction in which it is found to be due, by the database's clock. While a part of the service fails, no step
is taken.
"""

from __future__ import annotations

import asyncio
import time
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
from service.store import clock, due_games, pending_outages, queue, reminders, signs
from service.store.batches import Batch
from service.store.clock import DatabaseClock
from service.store.due_games import DueGame
from service.store.signs import MAILIN, RELAY, WEB, WORKER

EVERY = 5.0
"""Seconds between two looks."""

_AT_ONCE = 100
"""How many games, or accounts with reminders, are looked up at a time."""

_log = structlog.get_logger(__name__)


def register(app: App, context: WorkerContext) -> None:
    """Register the task that writes what follows from an entry at once, such as a bot's move."""

    @app.task(name="settle_clock", retry=SOON, queue=queue.URGENT)
    def settle_clock(game: str) -> None:
        settle_now(context, game)


def settle_now(context: WorkerContext, game: str) -> None:
    """Do what is due in the game with this id, and have a bot move that is to move."""
    with context.sessions.begin() as session:
        found = due_games.by_id(session, game)
        if found is None:
            return
        due_games.lock(session, found.key)
        now = read_clock(context, session)
        may_step = _may_step(context, session, found.key, now)
        metrics.clock_steps(clock_steps.settle(session, found, now, may_step=may_step, plays_bots=True))


def watched(context: WorkerContext) -> set[str]:
    """Return the parts of the service whose failure stops the clocks.

    A host that receives no mail, or has no mail server, lacks the part, which then cannot fail.
    """
    settings = context.settings
    parts = {WORKER, WEB}
    if settings.mail_in is not None:
        parts.add(MAILIN)
    if settings.smtp_url is not None:
        parts.add(RELAY)
    return parts


def read_clock(context: WorkerContext, session: Session) -> datetime:
    """Return the time by the database's clock, read in this transaction, or by a context's own clock."""
    if isinstance(context.clock, DatabaseClock):
        return clock.read(session)
    return context.clock()


async def keep_looking(context: WorkerContext, every: float = EVERY) -> None:
    """Look for due work again and again, until this is canceled."""
    deadlines = Deadlines(context)
    try:
        while True:
            await asyncio.to_thread(deadlines.look_safely)
            await asyncio.sleep(every)
    finally:
        deadlines.stop()  # the thread would go on until it has worked off all


def look(context: WorkerContext) -> None:
    """Store the worker's sign of life, and do all that is due."""
    Deadlines(context).look()


class Deadlines:
    """A loop that does what is due at each look, and stores the worker's signs of life meanwhile."""

    def __init__(self, context: WorkerContext) -> None:
        self._context = context
        self._over = Event()
        self._signed = float("-inf")
        self._failing: list[str] = []

    def stop(self) -> None:
        """Stop after the current game."""
        self._over.set()

    def look_safely(self) -> None:
        """Do all that is due, and log any error instead of raising it, so that the looking goes on."""
        try:
            self.look()
        except (DBAPIError, PoolTimeout) as error:
            _log.warning("nobody looked for what is due; it is tried again", why=type(error).__name__)
        except Exception as error:  # noqa: BLE001
            _log.error("nobody looked for what is due; it is tried again", exc_info=error)

    def look(self) -> None:
        """Do all that is due."""
        self._sign()
        if self._give_back_outages() and not self._is_failing():
            self._work_off_games()
            self._work_off_reminders()

    def _goes_on(self) -> bool:
        """Return whether to go on with the next game; store a sign of life if the last one was some seconds ago."""
        if time.monotonic() - self._signed >= EVERY:
            self._sign()
        return not self._over.is_set()

    def _sign(self) -> None:
        self._signed = time.monotonic()
        with self._context.sessions.begin() as session:
            signs.sign(session, WORKER, read_clock(self._context, session))

    def _is_failing(self) -> bool:
        """Return whether a part of the service fails, so that nothing may be done; log each change."""
        with self._context.session() as session:
            failing = signs.failing(session, read_clock(self._context, session), watched(self._context))
        if failing != self._failing:
            _log.warning("the clocks wait for the parts of the service that give no sign of life", parts=failing)
        self._failing = failing
        return bool(failing)

    def _give_back_outages(self) -> bool:
        """Give the time of failures that have ended back to the clocks, as far as no other worker does.

        Returns whether steps may follow. Each game waits for its own outages, with another worker or after an error.
        """
        context = self._context
        with context.sessions.begin() as session:
            now = read_clock(context, session)
            failures = signs.unsettled(session)
            if any(signs.is_partial(session, failure, now, watched(context)) for failure in failures):
                return False
            for failure in failures:
                games = pending_outages.add(session, failure, now)
                minutes = int((failure.ended_at - failure.began_at).total_seconds()) // 60
                if games is not None:
                    _log.info("an outage is given back", parts=failure.parts, minutes=minutes, games=games)
        while self._goes_on():
            if not _give_back_next(context):
                return True
        return False

    def _work_off_games(self) -> None:
        """Do what is due in the games, the longest due first, each once."""
        context, batch, seen = self._context, Batch("deadlines"), set[int]()
        while self._goes_on():
            with context.session() as session:
                games = due_games.due(session, read_clock(context, session), _AT_ONCE, seen)
            if not games:
                return
            for game in games:
                if not self._goes_on():
                    return
                seen.add(game.key)
                with _of_one(batch, game.id), context.sessions.begin() as session:
                    _settle(context, session, game)

    def _work_off_reminders(self) -> None:
        """Queue the reminders that are due, one account at a time."""
        context, batch, seen = self._context, Batch("reminders"), set[str]()
        while self._goes_on():
            with context.session() as session:
                accounts = reminders.due(session, read_clock(context, session), _AT_ONCE, seen)
            if not accounts:
                return
            for account in accounts:
                if not self._goes_on():
                    return
                seen.add(account)
                with _of_one(batch, account), context.sessions.begin() as session:
                    now = read_clock(context, session)
                    if not signs.failing(session, now, watched(context)) and not signs.has_unsettled(session):
                        metrics.reminders(int(reminding.send_due(session, account, now)))


def _give_back_next(context: WorkerContext) -> bool:
    """Give one game an outage back; return False if there is none left that no other worker has."""
    with context.sessions.begin() as session:
        now = read_clock(context, session)
        pending = pending_outages.take(session, now)
        if pending is None:
            return False
        game, batch = pending.game, Batch("outage")
        due_games.lock(session, game.key)
        batch.each(session, [game], lambda _: game.id, lambda _: outages.give_back(session, game, pending.failure, now))
        if batch.aside:
            pending_outages.put_off(session, pending, now)
        else:
            pending_outages.done(session, pending)
    return True


def _may_step(context: WorkerContext, session: Session, game: int, now: datetime) -> bool:
    """Return whether steps may be taken in a game: nothing fails, and it was given back all outages (8.2, 8.3)."""
    if signs.failing(session, now, watched(context)) or signs.has_unsettled(session):
        return False
    return not pending_outages.waits(session, game)


def _settle(context: WorkerContext, session: Session, game: DueGame) -> None:
    """Do what is due in a game, unless another worker is doing that or has done it."""
    if not due_games.try_lock(session, game.key):
        return
    now = read_clock(context, session)
    if due_games.is_due(session, game.key, now) and _may_step(context, session, game.key, now):
        metrics.clock_steps(clock_steps.settle(session, game, now))


@contextmanager
def _of_one(batch: Batch, key: str) -> Iterator[None]:
    """Set an item aside whose block fails, so that the others go on; raise an error that concerns all."""
    try:
        yield
    except Exception as error:
        if isinstance(error, PoolTimeout) or (isinstance(error, DBAPIError) and error.connection_invalidated):
            raise
        batch.set_aside(key, error)
