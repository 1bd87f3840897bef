"""Wakes the worker when there are new jobs: by a NOTIFY of its own, after the commit that made them.

Inside that transaction it would hold one lock for the whole server until the disk has it; on its own it writes nothing
and waits for no disk. It is sent from a thread, so that no request waits for it, and many that ask at once are one. If
it is lost, the worker finds the job when it looks by itself, a moment later.

A process that serves says once whom to wake (`use`); elsewhere `wake` does nothing.
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
"""Where procrastinate's workers listen."""

PAUSE = 0.04
"""Seconds between two of a process: 25 a second at most, however many moves there are."""

NOTIFY = sql.SQL("NOTIFY {}, {}").format(sql.Identifier(CHANNEL), '{"type": "job_inserted", "job_id": 0}')
"""What is sent: as the queue's own trigger would say it, but of no job by name."""

_CONNECTIONS = connection_class(WEB)
_GOODBYE_SECONDS = 2.0

_log = structlog.get_logger(__name__)


class Waker:
    """Wakes the worker on the database of these settings, from a thread that begins with the first `wake`.

    It may be made before a fork: each process gets a thread and a connection of its own. `pause` is the least time
    between two NOTIFYs in seconds.
    """

    def __init__(self, settings: Settings, pause: float = PAUSE) -> None:
        self._settings = settings
        self._pause = pause
        self._begin_anew()
        os.register_at_fork(after_in_child=self._begin_anew)

    def _begin_anew(self) -> None:
        """In a new process: what the other one's thread held is not ours, not even to be closed."""
        self._changed = Condition()
        self._asked = self._ended = False
        self._thread: Thread | None = None
        self._connection: psycopg.Connection | None = None

    def wake(self) -> None:
        """Asks for a NOTIFY; returns at once and never fails."""
        if self._asked:  # and not sent yet, so it will be sent after what the caller has committed
            return
        with self._changed:
            if self._ended:
                return
            self._asked = True
            self._changed.notify()
            if self._thread is None:
                self._thread = Thread(target=self._run, name="waking", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Sends what was asked for, and ends; `wake` does nothing any more."""
        with self._changed:
            self._ended = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join(_GOODBYE_SECONDS)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._asked or self._ended)
                if not self._asked:
                    break
                self._asked = False
            self._notify()
            with self._changed:
                self._changed.wait_for(lambda: self._ended, self._pause)
        self._disconnect()

    def _notify(self) -> None:
        """Sends one; on a new connection if the one that is kept has died meanwhile."""
        for last in (self._connection is None, True):
            try:
                if self._connection is None:
                    told = connect_args(self._settings, WEB, "novaluna waking")
                    self._connection = _CONNECTIONS.connect(self._settings.database_url, autocommit=True, **told)  # type: ignore[arg-type]
                self._connection.execute(NOTIFY)
                return
            except (psycopg.Error, OSError) as error:
                self._disconnect()
                if last:
                    _log.warning("the worker was not woken; it will find its jobs by itself", exc_info=error)
                    return

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


_waker: Waker | None = None


def use(waker: Waker | None) -> None:
    """From now on `wake` wakes by this one, for the whole process; None: it does nothing."""
    global _waker
    _waker = waker


def wake() -> None:
    """Call this after a commit that may have brought new jobs. It costs next to nothing, waits for nothing and never
    fails."""
    if _waker is not None:
        _waker.wake()
