"""Whether a worker lives in the eyes of the others, by its signs of life in the database.

A worker that was stopped, or could not reach the database, counts as dead after a while, and others take up its jobs.
When it goes on it must not send what they are sending: once dead it stays so and ends, by a clock of this machine that
nobody sets. And one that cannot give a sign for long ends itself, hard (`Watchdog`): whoever runs it starts it again.
"""

from __future__ import annotations

import os
import time
from threading import Event, Thread

import structlog

INTERVAL = 5.0
"""Seconds between a worker's signs of life."""

STALLED = 20.0
"""Seconds without one after which a worker counts as dead, and its jobs as nobody's."""

SILENCE = 30.0
"""Seconds without one after which a worker ends itself. In them a Postgres that was only stopped may come back."""

_MARGIN = 2.0
_FAILED = 1

_log = structlog.get_logger(__name__)


class Heartbeat:
    """The signs of life of one worker. At another `pace` all spans are so many times as long."""

    def __init__(self, pace: float = 1.0) -> None:
        self.interval, self.stalled, self.silence = INTERVAL * pace, STALLED * pace, SILENCE * pace
        self._longest = (STALLED - _MARGIN) * pace
        self._at = time.monotonic()
        self._died = False
        self.signs = 0

    def begin(self, at: float) -> None:
        """The others know of it since `at`, the monotonic time just before they were told."""
        self._at = at

    def sign(self, at: float) -> None:
        """One was given; `at` is the monotonic time just before it was sent."""
        self._died = self.counts_as_dead
        self._at = at
        self.signs += 1

    @property
    def counts_as_dead(self) -> bool:
        """Whether others may have taken up what this worker was doing."""
        return self._died or time.monotonic() - self._at > self._longest


class Watchdog:
    """Ends the process, at once and whatever it is doing, when its worker gives no sign of life for too long.

    It counts seconds in which this process ran, so one that was stopped and goes on is given its time.
    """

    def __init__(self, heartbeat: Heartbeat) -> None:
        self._heartbeat = heartbeat
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
        tick = self._heartbeat.silence / 30
        seen, silent = self._heartbeat.signs, 0.0
        while not self._over.wait(tick):
            if self._heartbeat.signs != seen:
                seen, silent = self._heartbeat.signs, 0.0
                continue
            silent += tick
            if silent >= self._heartbeat.silence:
                _log.error("no sign of life could be given: the worker ends itself", seconds=self._heartbeat.silence)
                os._exit(_FAILED)
