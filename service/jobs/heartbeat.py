"""The heartbeat of a worker in the database, by which other workers know whether it is alive.

A worker that was suspended, or could not reach the database, counts as dead after a while, and others take over its
jobs. When it resumes, it must not send what they are sending: once dead, it stays dead and ends, by the monotonic clock
of this machine. One that cannot write a heartbeat for long kills itself (`Watchdog`), and is restarted by whatever runs
it.
"""

from __future__ import annotations

import os
import time
from threading import Event, Thread

import structlog

INTERVAL = 5.0
"""Seconds between a worker's heartbeats."""

STALLED = 20.0
"""Seconds without a heartbeat after which a worker counts as dead, and others take over its jobs."""

SILENCE = 30.0
"""Seconds without a heartbeat after which a worker kills itself; a suspended Postgres may resume before."""

_MARGIN = 2.0
_FAILED = 1

_log = structlog.get_logger(__name__)


class Heartbeat:
    """The heartbeats of one worker.

    Args:
        pace: a factor for all time spans.
    """

    def __init__(self, pace: float = 1.0) -> None:
        self.interval, self.stalled, self.silence = INTERVAL * pace, STALLED * pace, SILENCE * pace
        self._longest = (STALLED - _MARGIN) * pace
        self._at = time.monotonic()
        self._died = False
        self.signs = 0

    def begin(self, at: float) -> None:
        """Start at `at`, the monotonic time just before the worker was registered."""
        self._at = at

    def sign(self, at: float) -> None:
        """Note a heartbeat; `at` is the monotonic time just before it was sent."""
        self._died = self.counts_as_dead
        self._at = at
        self.signs += 1

    @property
    def counts_as_dead(self) -> bool:
        """True if others may have taken over this worker's jobs."""
        return self._died or time.monotonic() - self._at > self._longest


class Watchdog:
    """A thread that kills the process, whatever it is doing, when its worker has had no heartbeat for too long.

    Only seconds in which this process ran are counted, so one that was suspended and resumed gets its full time.
    """

    def __init__(self, heartbeat: Heartbeat) -> None:
        self._heartbeat = heartbeat
        self._over = Event()
        self._thread = Thread(target=self._watch, name="watchdog", daemon=True)

    def start(self) -> None:
        """Start watching, in a thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop watching."""
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
                _log.error("heartbeat not written: the worker ends itself", seconds=self._heartbeat.silence)
                os._exit(_FAILED)
