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
from service.jobs.precedence import Precedence
from service.jobs.worker_context import WorkerContext
from service.store import claims, clock, due_games, pending_outages, queue, reminders, signs
from service.store.batches import Batch
from service.store.clock import DatabaseClock
from service.store.due_games import DueGame
from service.store.signs import MAILIN, RELAY, WEB, WORKER

EVERY = 2.0
"""Seconds between two looks."""

_SOONER = 0.5
"""Seconds until the next look after one that did something: another worker may have ended before it was done."""

_SIGNS_EVERY = 5.0
"""Seconds between two signs of life."""

_GAMES_AT_ONCE = 20
"""How many games are looked up at a time; workers that look at once have the same, and share them."""

_ACCOUNTS_AT_ONCE = 100
"""How many accounts with reminders are looked up at a time."""

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
        claim = claims.claim(session, [found.key], _own_time(context), only_due=False)
        assert claim is not None, "this transaction has the lock"
        may_step = claim.allows_steps(watched(context))
        metrics.clock_steps(clock_steps.settle(session, found, claim.now, may_step=may_step, plays_bots=True))


def watched(context: WorkerContext) -> set[str]:
    """Return the parts of the service whose failure stops the clocks.

    A host that receives no mail, or has no mail server, lacks the part, which then cannot fail. What a part did before
    it was taken out of use is forgotten: if it is used again, the time between is no outage.
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
    return _own_time(context) or clock.read(session)


def _own_time(context: WorkerContext) -> datetime | None:
    """Return the time by a context's own clock, or None if the database's clock decides."""
    return None if isinstance(context.clock, DatabaseClock) else context.clock()


async def keep_looking(context: WorkerContext, precedence: Precedence) -> None:
    """Look for due work again and again, until this is canceled; ordinary jobs are held back meanwhile."""
    deadlines = Deadlines(context, precedence)
    try:
        while True:
            has_done = await asyncio.to_thread(deadlines.look_safely)
            await asyncio.sleep(_SOONER if has_done else EVERY)
    finally:
        deadlines.stop()  # the thread would go on until it has worked off all


def look(context: WorkerContext) -> None:
    """Store the worker's sign of life, and do all that is due."""
    Deadlines(context).look()


class Deadlines:
    """A loop that does what is due at each look, and stores the worker's signs of life meanwhile."""

    def __init__(self, context: WorkerContext, precedence: Precedence | None = None) -> None:
        self._context = context
        self._precedence = precedence or Precedence()
        self._over = Event()
        self._signed = float("-inf")
        self._failing: list[str] = []
        self._done = 0

    def stop(self) -> None:
        """Stop after the current game."""
        self._over.set()

    def look_safely(self) -> bool:
        """Do all that is due as `look` does, and log any error instead of raising it, so that the looking goes on."""
        try:
            return self.look()
        except (DBAPIError, PoolTimeout) as error:
            _log.warning("clock check failed; will retry", why=type(error).__name__)
        except Exception as error:  # noqa: BLE001
            _log.error("clock check failed; will retry", exc_info=error)
        return False

    def look(self) -> bool:
        """Do all that is due; return whether there was any."""
        self._done = 0
        with self._precedence.over_jobs():
            if self._goes_on() and self._give_back_outages() and not self._is_failing():
                self._work_off_games()
                self._work_off_reminders()
        return self._done > 0

    def _goes_on(self) -> bool:
        """Return whether to go on with the next game; store a sign of life if the last one was some seconds ago."""
        if time.monotonic() - self._signed >= _SIGNS_EVERY:
            self._sign()
        return not self._over.is_set()

    def _sign(self) -> None:
        self._signed = time.monotonic()
        with self._context.sessions.begin() as session:
            signs.sign(session, WORKER, read_clock(self._context, session))
            signs.forget_all_but(session, watched(self._context))

    def _is_failing(self) -> bool:
        """Return whether a part of the service fails, so that nothing may be done; log each change."""
        with self._context.session() as session:
            failing = signs.failing(session, read_clock(self._context, session), watched(self._context))
        if failing and failing != self._failing:
            _log.warning("the clocks wait for the parts of the service that give no sign of life", parts=failing)
        elif self._failing and not failing:
            _log.info("the clocks go on: all parts of the service give signs of life", parts=self._failing)
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
                    _log.info(
                        "time of an outage returned to the clocks", parts=failure.parts, minutes=minutes, games=games
                    )
        while self._goes_on():
            if not _give_back_next(context):
                return True
            self._done += 1
        return False

    def _work_off_games(self) -> None:
        """Do what is due in the games, the longest due first, each once."""
        context, batch, seen = self._context, Batch("deadlines"), set[int]()
        while self._goes_on():
            with context.session() as session:
                games = due_games.due(session, read_clock(context, session), _GAMES_AT_ONCE, seen)
            if not games:
                return
            left = {game.key: game for game in games}
            seen |= left.keys()
            while left and self._goes_on():
                if not self._settle_next(batch, left):
                    break

    def _settle_next(self, batch: Batch, left: dict[int, DueGame]) -> bool:
        """Do what is due in the first of these games that no other worker has; return False if there is none.

        It is taken out of `left`.
        """
        context, game = self._context, None
        try:
            with context.sessions.begin() as session:
                claim = claims.claim(session, left, _own_time(context))
                if claim is None:
                    return False
                game = left.pop(claim.game)
                if claim.allows_steps(watched(context)):
                    made = clock_steps.settle(session, game, claim.now)
                    metrics.clock_steps(made)
                    self._done += made
        except Exception as error:
            if game is None or _concerns_all(error):
                raise
            batch.set_aside(game.id, error)
        return True

    def _work_off_reminders(self) -> None:
        """Queue the reminders that are due, one account at a time."""
        context, batch, seen = self._context, Batch("reminders"), set[str]()
        while self._goes_on():
            with context.session() as session:
                accounts = reminders.due(session, read_clock(context, session), _ACCOUNTS_AT_ONCE, seen)
            if not accounts:
                return
            for account in accounts:
                if not self._goes_on():
                    return
                seen.add(account)
                with _of_one(batch, account), context.sessions.begin() as session:
                    now = read_clock(context, session)
                    if not signs.failing(session, now, watched(context)) and not signs.has_unsettled(session):
                        sent = int(reminding.send_due(session, account, now))
                        metrics.reminders(sent)
                        self._done += sent


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


@contextmanager
def _of_one(batch: Batch, key: str) -> Iterator[None]:
    """Set an item aside whose block fails, so that the others go on; raise an error that concerns all."""
    try:
        yield
    except Exception as error:
        if _concerns_all(error):
            raise
        batch.set_aside(key, error)


def _concerns_all(error: Exception) -> bool:
    return isinstance(error, PoolTimeout) or (isinstance(error, DBAPIError) and error.connection_invalidated)
