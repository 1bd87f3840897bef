"""A proxy to Postgres that can be cut in the middle of a commit: a socket between the service and its database.

It forwards bytes, and parses them as far as needed to know which of them commit a write (PostgreSQL's protocol, version
3: https://www.postgresql.org/docs/current/protocol.html).
"""

import re
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, Thread

MOVES = re.compile(rb"\binsert\s+into\s+log\b", re.IGNORECASE)
"""A pattern of the statement that writes a move with everything that follows from it."""

FINISHES = re.compile(rb"\bprocrastinate_(finish|retry)_job", re.IGNORECASE)
"""A pattern of the statements by which a worker marks a job as done or failed."""

BEFORE, AFTER = "before", "after"
"""The commit is not passed on; or it is, and its answer is not."""

_SOCKET = ".s.PGSQL.5432"
_PROTOCOL = 3
_READY = b"Z\0\0\0\x05"
_MOST = 65536


@dataclass
class _Order:
    """An order to cut connections: at which commits, when, and how many more."""

    what: re.Pattern[bytes] = MOVES
    when: str = BEFORE
    left: int = 0
    lock: Lock = field(default_factory=Lock)

    def takes(self, sql: bytes) -> bool:
        return self.left > 0 and self.what.search(sql) is not None

    def take(self) -> str | None:
        """Return when to cut this commit, or None if the order is fulfilled."""
        with self.lock:
            if self.left == 0:
                return None
            self.left -= 1
            return self.when


class DatabaseProxy:
    """A socket in a folder that leads to another one.

    Args:
        folder: where to listen, as Postgres would; it is created, for its owner only.
        target: the folder of Postgres' own socket.
    """

    def __init__(self, folder: Path, target: Path) -> None:
        folder.mkdir(mode=0o700)
        self._path = folder / _SOCKET
        self._target = target / _SOCKET
        self._order = _Order()
        self._connections: set[_Connection] = set()
        self.mend()

    def mend(self) -> None:
        """Accept connections, from now on or again."""
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self._path))
        self._listener.listen(100)
        Thread(target=self._accept, args=[self._listener], daemon=True).start()

    def part(self) -> None:
        """Cut all connections, and accept no new ones."""
        self._path.unlink()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in list(self._connections):
            connection.cut()

    def cut(self, what: re.Pattern[bytes], when: str, count: int) -> None:
        """Cut the connections that commit the next writes of this kind, before or after they commit."""
        with self._order.lock:
            self._order.what, self._order.when, self._order.left = what, when, count

    @property
    def left(self) -> int:
        """The number of connections that are still to be cut."""
        return self._order.left

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:  # parted
                return
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect(str(self._target))
            except OSError:
                client.close()
                server.close()
                continue
            connection = _Connection(client, server, self._order)
            self._connections.add(connection)
            connection.begin(self._connections.discard)


class _Connection:
    """A client's connection, and the one that it leads to."""

    def __init__(self, client: socket.socket, server: socket.socket, order: _Order) -> None:
        self._client, self._server = client, server
        self._reader = _Reader(order)
        self._last_words = False

    def begin(self, ended: Callable[["_Connection"], None]) -> None:
        """Forward bytes in both directions until one side is closed."""

        def forth() -> None:
            self._forth()
            self.cut()
            ended(self)

        def back() -> None:
            self._back()
            self.cut()

        for passes in (forth, back):
            Thread(target=passes, daemon=True).start()

    def cut(self) -> None:
        """Close both sides."""
        for side in (self._client, self._server):
            with suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)

    def _forth(self) -> None:
        with suppress(OSError), self._client:
            while data := self._client.recv(_MOST):
                for message, when in self._reader.read(data):
                    if when == BEFORE:
                        return None
                    self._last_words = self._last_words or when == AFTER
                    self._server.sendall(message)
                    if when == AFTER:
                        return self._await_end()
        return None

    def _await_end(self) -> None:
        """Send nothing more, until the other thread cuts the connection after Postgres has responded."""
        while self._client.recv(_MOST):
            pass

    def _back(self) -> None:
        with suppress(OSError), self._server:
            while data := self._server.recv(_MOST):
                if not self._last_words:
                    self._client.sendall(data)
                elif _READY in data[-6:]:
                    return


class _Reader:
    """A reader of a client's messages that finds those that commit."""

    def __init__(self, order: _Order) -> None:
        self._order = order
        self._rest = b""
        self._started = False
        self._statements: dict[bytes, bytes] = {}
        self._in_transaction = self._wrote = self._commits_at_sync = False

    def read(self, data: bytes) -> Iterator[tuple[bytes, str | None]]:
        """Yield the messages that are complete now, each with when to cut the connection at it."""
        self._rest += data
        while (length := self._length()) is not None and len(self._rest) >= length:
            message, self._rest = self._rest[:length], self._rest[length:]
            yield message, self._when(message)

    def _length(self) -> int | None:
        """Return the length of the next message; those before the protocol starts have no type in front."""
        at = 1 if self._started else 0
        if len(self._rest) < at + 4:
            return None
        return at + int(struct.unpack_from("!I", self._rest, at)[0])

    def _when(self, message: bytes) -> str | None:
        if not self._started:
            self._started = struct.unpack_from("!H", message, 4)[0] == _PROTOCOL
            return None
        kind, body = message[:1], message[5:]
        if kind == b"P":
            name, sql, _ = body.split(b"\0", 2)
            self._statements[name] = sql
        elif kind == b"Q":
            return self._runs(body.rstrip(b"\0"))
        elif kind == b"B":
            _, name, _ = body.split(b"\0", 2)
            when = self._runs(self._statements.get(name, b""))
            self._commits_at_sync = when == AFTER
            return None if when == AFTER else when
        elif kind == b"S" and self._commits_at_sync:
            self._commits_at_sync = False
            return AFTER
        return None

    def _runs(self, sql: bytes) -> str | None:
        """Note that a statement is run, and return when to cut the connection if it commits."""
        word = sql.split(None, 1)[0].upper() if sql.strip() else b""
        if word in (b"BEGIN", b"START"):
            self._in_transaction, self._wrote = True, False
        elif word in (b"COMMIT", b"END"):
            wrote, self._in_transaction, self._wrote = self._wrote, False, False
            return self._order.take() if wrote else None
        elif word == b"ROLLBACK" and b" TO " not in sql.upper():
            self._in_transaction, self._wrote = False, False
        elif self._order.takes(sql):
            if not self._in_transaction:
                return self._order.take()
            self._wrote = True
        return None
