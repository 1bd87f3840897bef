"""Announce what a commit has brought: wake the worker for new jobs, and place new events so that readers learn of them.

Inside the transaction of a change, NOTIFY would hold a lock of the whole server until the disk has written the commit.
After it, a transaction of its own does no harm. It is sent from a thread, so no request waits for it, and simultaneous
ones are combined. If it is lost, the worker finds the job when it next polls, a moment later, and so it does events.

A process that changes anything configures once what announces it (`use`); elsewhere `wake` and `announce` do nothing.
"""

from __future__ import annotations

import os
from threading import Condition, Thread

import psycopg
import structlog
from psycopg import sql

from service.config import Settings
from service.store.connecting import WEB, connect_args
from service.store.timeouts import connection_class

CHANNEL = "procrastinate_any_queue_v1"
"""The channel that procrastinate's workers listen on."""

PAUSE = 0.02
"""Seconds between two announcements of a process, so at most 50 a second, however many moves there are."""

NOTIFY = sql.SQL("NOTIFY {}, {}").format(sql.Identifier(CHANNEL), '{"type": "job_inserted", "job_id": 0}')
"""The statement that is sent, with the payload of the queue's own trigger but without the id of a job."""

PLACE = sql.SQL("SELECT place_events()")
"""The statement that gives committed events their positions, and notifies those who wait for them.

`service.store.events` explains it. It takes up to 1000, and returns how many.
"""

_MOST_PLACED = 1000

_CONNECTIONS = connection_class(WEB)
_GOODBYE_SECONDS = 2.0

_log = structlog.get_logger(__name__)


class Waker:
    """A thread that announces jobs and events through the database; it starts with the first of them.

    It may be created before a fork: each process gets its own thread and connection.

    Args:
        settings: the settings of the database.
        pause: the shortest time between two announcements, in seconds.
        places_every: seconds after which events are placed even if nobody has announced any, as happens where a process
            ended just after its commit; None for never.
    """

    def __init__(self, settings: Settings, pause: float = PAUSE, places_every: float | None = None) -> None:
        self._settings = settings
        self._pause = pause
        self._every = places_every
        self._begin_anew()
        os.register_at_fork(after_in_child=self._begin_anew)

    def _begin_anew(self) -> None:
        """Reset the state after a fork. The parent's thread and connection are not ours, not even to close."""
        self._changed = Condition()
        self._has_jobs = self._has_events = self._ended = False
        self._thread: Thread | None = None
        self._connection: psycopg.Connection | None = None

    def start(self) -> None:
        """Start the thread now, so that it places events by itself."""
        with self._changed:
            self._start()

    def wake(self) -> None:
        """Request that the worker be woken. Returns at once and never fails."""
        if self._has_jobs:  # a pending NOTIFY will be sent after the caller's commit
            return
        with self._changed:
            if not self._ended:
                self._has_jobs = True
                self._start()

    def announce(self) -> None:
        """Request that events be placed. Returns at once and never fails."""
        if self._has_events:
            return
        with self._changed:
            if not self._ended:
                self._has_events = True
                self._start()

    def close(self) -> None:
        """Send what was requested and stop; `wake` and `announce` do nothing any more."""
        with self._changed:
            self._ended = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join(_GOODBYE_SECONDS)

    def _start(self) -> None:
        self._changed.notify()
        if self._thread is None:
            self._thread = Thread(target=self._run, name="waking", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._has_jobs or self._has_events or self._ended, self._every)
                if self._ended and not (self._has_jobs or self._has_events):
                    break
                has_jobs = self._has_jobs
                has_events = self._has_events or not has_jobs
                self._has_jobs = self._has_events = False
            self._send(has_jobs=has_jobs, has_events=has_events)
            with self._changed:
                self._changed.wait_for(lambda: self._ended, self._pause)
        self._disconnect()

    def _send(self, *, has_jobs: bool, has_events: bool) -> None:
        """Send what was requested, on a new connection if the existing one has died."""
        for last in (self._connection is None, True):
            try:
                connection = self._connected()
                if has_events:
                    while connection.execute(PLACE).fetchone() == (_MOST_PLACED,):
                        pass
                    has_events = False
                if has_jobs:
                    connection.execute(NOTIFY)
                return
            except (psycopg.Error, OSError) as error:
                self._disconnect()
                if last:
                    _log.warning("jobs and events were not announced; they will be found", exc_info=error)
                    return

    def _connected(self) -> psycopg.Connection:
        if self._connection is None:
            told = connect_args(self._settings, WEB, "novaluna waking")
            self._connection = _CONNECTIONS.connect(self._settings.database_url, autocommit=True, **told)
        return self._connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


_waker: Waker | None = None


def use(waker: Waker | None) -> None:
    """Set the waker that this process uses; with None, `wake` and `announce` do nothing."""
    global _waker
    _waker = waker


def wake() -> None:
    """Wake the worker; call this after a commit that may have added jobs.

    It costs almost nothing, waits for nothing and never fails.
    """
    if _waker is not None:
        _waker.wake()


def announce() -> None:
    """Place and announce events; call this after a commit that may have added some. It costs as little as `wake`."""
    if _waker is not None:
        _waker.announce()
