"""Whether a worker lives in the eyes of the others, by its signs of life in the database.

A worker that was stopped, or could not reach the database, counts as dead after a while, and others take up its jobs.
When it goes on it must not send what they are sending: `counts_as_dead` tells it, by a clock of this machine that
nobody sets. And one that cannot give a sign for long ends itself, hard (`Watchdog`): whoever runs it starts it again.
"""

from __future__ import annotations

import os
import time
from threading import Event, Thread

import structlog

HEARTBEAT = 5.0
"""Seconds between a worker's signs of life."""

STALLED = 20.0
"""Seconds without one after which a worker counts as dead, and its jobs as nobody's."""

SILENCE = 30.0
"""Seconds without one after which a worker ends itself. In them a Postgres that was only stopped may come back."""

_MARGIN = 2.0
_FAILED = 1

_log = structlog.get_logger(__name__)


class Life:
    """The signs of life of one worker."""

    def __init__(self) -> None:
        self._at = time.monotonic()
        self.signs = 0

    def sign(self, at: float) -> None:
        """One was given; `at` is the monotonic time just before it was sent."""
        self._at = at
        self.signs += 1

    @property
    def counts_as_dead(self) -> bool:
        """Whether others may have taken up what this worker was doing."""
        return time.monotonic() - self._at > STALLED - _MARGIN


class Watchdog:
    """Ends the process, at once and whatever it is doing, when its worker gives no sign of life for so many seconds.

    It counts seconds in which this process ran, so one that was stopped and goes on is given its time.
    """

    def __init__(self, life: Life, silence: float = SILENCE) -> None:
        self._life = life
        self._silence = silence
        self._over = Event()
        self._thread = Thread(target=self._watch, name="watchdog", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> None:
        """Watch no more."""
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        tick = min(1.0, self._silence / 4)
        seen, silent = self._life.signs, 0.0
        while not self._over.wait(tick):
            if self._life.signs != seen:
                seen, silent = self._life.signs, 0.0
                continue
            silent += tick
            if silent >= self._silence:
                _log.error("no sign of life could be given: the worker ends itself", seconds=self._silence)
                os._exit(_FAILED)
