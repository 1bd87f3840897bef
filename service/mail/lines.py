"""Keeps connections to the relay open from one mail to the next, while there are many.

A handshake takes longer than a mail. A connection that is kept is asked first whether it still stands, and only then
given a mail: what breaks off afterwards may have been taken, and is never sent again from here.
"""

from __future__ import annotations

import smtplib
import time
from collections.abc import Callable
from email.message import EmailMessage
from threading import Lock, Timer
from typing import NamedTuple

from service.mail.outgoing import Relay, failures, hang_up

IDLE_SECONDS = 5.0
"""So long a connection is kept that has nothing to do."""

MOST_MAILS = 50
"""On one connection: relays allow a hundred or more."""

_OK = 250


class _Line(NamedTuple):
    """An open connection, how many mails it has taken, and since when it has had nothing to do (monotonic)."""

    open: smtplib.SMTP
    mails: int
    since: float


class Lines:
    """The connections to one relay. Of the threads that deliver at once each has one to itself."""

    def __init__(self, relay: Relay, idle: float = IDLE_SECONDS) -> None:
        self._relay = relay
        self._idle = idle
        self._kept: list[_Line] = []
        self._lock = Lock()
        self._timer: Timer | None = None

    def deliver(
        self, message: EmailMessage, return_path: str | None = None, last_look: Callable[[], bool] | None = None
    ) -> bool:
        """Give one message to the relay; returns and raises as `Relay.deliver` does."""
        with failures():
            line = self._take() or _Line(self._relay.connect(), 0, 0.0)
            try:
                taken = self._relay.hand_over(line.open, message, return_path, last_look)
            except BaseException:
                line.open.close()
                raise
        if line.mails + 1 < MOST_MAILS:
            self._keep(_Line(line.open, line.mails + 1, time.monotonic()))
        else:
            hang_up(line.open)
        return taken

    def close(self) -> None:
        """Hang up all that have nothing to do."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            kept, self._kept = self._kept, []
        for line in kept:
            hang_up(line.open)

    def _take(self) -> _Line | None:
        """One that stands, the one used last; None when there is none."""
        while True:
            with self._lock:
                if not self._kept:
                    return None
                line = self._kept.pop()
            if time.monotonic() - line.since < self._idle and _stands(line.open):
                return line
            line.open.close()

    def _keep(self, line: _Line) -> None:
        with self._lock:
            self._kept.append(line)
            self._watch()

    def _watch(self) -> None:
        """Have the idle ones hung up in time; the lock is held."""
        if self._timer is None and self._kept:
            self._timer = Timer(self._idle, self._tidy)
            self._timer.daemon = True
            self._timer.start()

    def _tidy(self) -> None:
        now = time.monotonic()
        with self._lock:
            old = [line for line in self._kept if now - line.since >= self._idle]
            self._kept = [line for line in self._kept if now - line.since < self._idle]
            self._timer = None
            self._watch()
        for line in old:
            hang_up(line.open)


def _stands(line: smtplib.SMTP) -> bool:
    try:
        return line.rset()[0] == _OK
    except (OSError, smtplib.SMTPException):
        return False
