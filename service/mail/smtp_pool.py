"""Keep connections to the relay open from one mail to the next while there are many.

A handshake takes longer than a mail. A reused connection is first tested, and only then given a mail: if it breaks
after that, the relay may have accepted the mail, so it is never sent again from here.
"""

from __future__ import annotations

import smtplib
import time
from collections.abc import Callable
from email.message import EmailMessage
from threading import Lock, Timer
from typing import NamedTuple

from service.mail.relay import Relay, failures, hang_up

IDLE_SECONDS = 5.0
"""Seconds after which an idle connection is closed."""

MOST_MAILS = 50
"""The most mails sent over one connection; relays allow a hundred or more."""

_OK = 250


class _PooledConnection(NamedTuple):
    """An open connection, how many mails it has sent, and since when it has been idle (monotonic)."""

    smtp: smtplib.SMTP
    mails: int
    since: float


class SmtpConnectionPool:
    """The connections to one relay, one for each thread that is delivering."""

    def __init__(self, relay: Relay, idle: float = IDLE_SECONDS) -> None:
        self._relay = relay
        self._idle = idle
        self._kept: list[_PooledConnection] = []
        self._lock = Lock()
        self._timer: Timer | None = None

    def deliver(
        self, message: EmailMessage, return_path: str | None = None, last_look: Callable[[], bool] | None = None
    ) -> bool:
        """Send a message to the relay; return and raise as `Relay.deliver` does."""
        with failures():
            connection = self._take() or _PooledConnection(self._relay.connect(), 0, 0.0)
            try:
                taken = self._relay.hand_over(connection.smtp, message, return_path, last_look)
            except BaseException:
                connection.smtp.close()
                raise
        if connection.mails + 1 < MOST_MAILS:
            self._keep(_PooledConnection(connection.smtp, connection.mails + 1, time.monotonic()))
        else:
            hang_up(connection.smtp)
        return taken

    def close(self) -> None:
        """Close all idle connections."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            kept, self._kept = self._kept, []
        for connection in kept:
            hang_up(connection.smtp)

    def _take(self) -> _PooledConnection | None:
        """Take a working connection, the one used last; return None if there is none."""
        while True:
            with self._lock:
                if not self._kept:
                    return None
                connection = self._kept.pop()
            if time.monotonic() - connection.since < self._idle and _stands(connection.smtp):
                return connection
            connection.smtp.close()

    def _keep(self, connection: _PooledConnection) -> None:
        with self._lock:
            self._kept.append(connection)
            self._watch()

    def _watch(self) -> None:
        """Schedule the closing of idle connections; the caller holds the lock."""
        if self._timer is None and self._kept:
            self._timer = Timer(self._idle, self._tidy)
            self._timer.daemon = True
            self._timer.start()

    def _tidy(self) -> None:
        now = time.monotonic()
        with self._lock:
            old = [connection for connection in self._kept if now - connection.since >= self._idle]
            self._kept = [connection for connection in self._kept if now - connection.since < self._idle]
            self._timer = None
            self._watch()
        for connection in old:
            hang_up(connection.smtp)


def _stands(connection: smtplib.SMTP) -> bool:
    try:
        return connection.rset()[0] == _OK
    except (OSError, smtplib.SMTPException):
        return False
