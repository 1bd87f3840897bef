"""Wake the worker when there are new jobs, by a NOTIFY after the commit that made them.

Inside that transaction, NOTIFY would hold a lock of the whole server until the disk has written the commit. On its own
it writes nothing and waits for no disk. It is sent from a thread, so no request waits for it, and simultaneous ones are
combined. If it is lost, the worker finds the job when it next polls, a moment later.

A process that serves requests configures once what to wake (`use`); elsewhere `wake` does nothing.
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

PAUSE = 0.04
"""Seconds between two NOTIFYs of a process, so at most 25 a second, however many moves there are."""

NOTIFY = sql.SQL("NOTIFY {}, {}").format(sql.Identifier(CHANNEL), '{"type": "job_inserted", "job_id": 0}')
"""The statement that is sent, with the payload of the queue's own trigger but without the id of a job."""

_CONNECTIONS = connection_class(WEB)
_GOODBYE_SECONDS = 2.0

_log = structlog.get_logger(__name__)


class Waker:
    """A thread that wakes the worker through the database; it starts with the first `wake`.

    It may be created before a fork: each process gets its own thread and connection.

    Args:
        settings: the settings of the database.
        pause: the shortest time between two NOTIFYs, in seconds.
    """

    def __init__(self, settings: Settings, pause: float = PAUSE) -> None:
        self._settings = settings
        self._pause = pause
        self._begin_anew()
        os.register_at_fork(after_in_child=self._begin_anew)

    def _begin_anew(self) -> None:
        """Reset the state after a fork. The parent's thread and connection are not ours, not even to close."""
        self._changed = Condition()
        self._asked = self._ended = False
        self._thread: Thread | None = None
        self._connection: psycopg.Connection | None = None

    def wake(self) -> None:
        """Request a NOTIFY. Returns at once and never fails."""
        if self._asked:  # a pending NOTIFY will be sent after the caller's commit
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
        """Send what was requested and stop; `wake` does nothing any more."""
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
        """Send one NOTIFY, on a new connection if the existing one has died."""
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
    """Set the waker that `wake` uses in this process; with None, `wake` does nothing."""
    global _waker
    _waker = waker


def wake() -> None:
    """Wake the worker; call this after a commit that may have added jobs.

    It costs almost nothing, waits for nothing and never fails.
    """
    if _waker is not None:
        _waker.wake()
