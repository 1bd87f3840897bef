"""Store signs of life for a part of the service, from a thread of each of its processes (CLOCKS.md 8.1)."""

from __future__ import annotations

from threading import Event, Thread

import psycopg
import structlog

from service.config import Settings
from service.store import signs
from service.store.connecting import WEB, connect_args
from service.store.timeouts import connection_class

_CONNECTIONS = connection_class(WEB)

_MAY_WRITE = "SELECT current_setting('transaction_read_only') = 'off'"

_log = structlog.get_logger(__name__)


class SignsOfLife:
    """A thread that stores signs of life for a part every few seconds, on a connection of its own.

    It is created after the process has forked. While the database does not answer there are no signs; that is a failure
    of all parts.

    Args:
        settings: the settings of the database.
        part: one of `service.store.signs.PARTS`.
        every: seconds between two signs.
    """

    def __init__(self, settings: Settings, part: str, every: float = signs.EVERY) -> None:
        self._settings, self._part, self._every = settings, part, every
        self._over = Event()
        self._connection: psycopg.Connection | None = None
        self._thread = Thread(target=self._run, name=f"signs of {part}", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread."""
        self._over.set()

    def _run(self) -> None:
        self._sign()
        while not self._over.wait(self._every):
            self._sign()
        self._disconnect()

    def _sign(self) -> None:
        try:
            if self._connection is None:
                told = connect_args(self._settings, WEB, "novaluna signs")
                self._connection = _CONNECTIONS.connect(self._settings.database_url, autocommit=True, **told)
            # At a replica, a web server shows games to spectators, and nobody waits for it.
            if self._connection.execute(_MAY_WRITE).fetchone() == (True,):
                self._connection.execute(signs.SIGN, signs.arguments(self._part))
        except (psycopg.Error, OSError) as error:
            self._disconnect()
            _log.warning("heartbeat not written", part=self._part, why=type(error).__name__)

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
