"""A proxy between the service and Postgres that counts statements and can cut connections."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock, Thread
from urllib.parse import parse_qs, quote, urlsplit

_AROUND = ("BEGIN", "COMMIT", "ROLLBACK", ";")


@dataclass
class CountingProxy:
    """The traffic since `clear`.

    `statements` are the texts of the statements that were run, without pings and those that begin and end a
    transaction. `waits` is how often the service waited for a response of any kind. `open` is the number of open
    connections, whenever they were made. The next statement that contains `cut_at` has its connection cut: before
    Postgres receives it or, with `after`, after that.
    """

    url: str
    statements: list[str] = field(default_factory=list)
    waits: int = 0
    open: int = 0
    cut_at: str | None = None
    after: bool = False
    lock: Lock = field(default_factory=Lock)

    def clear(self) -> None:
        """Start counting from 0 again."""
        with self.lock:
            self.statements, self.waits = [], 0

    def ran(self, statement: str) -> bool:
        """Count a statement, and return whether its connection is to be cut."""
        with self.lock:
            if statement.strip().upper() not in _AROUND:
                self.statements.append(statement)
            cut = self.cut_at is not None and self.cut_at in statement
            if cut:
                self.cut_at = None
            return cut


@contextmanager
def counting(database_url: str) -> Iterator[CountingProxy]:
    """Yield a proxy to this database, on a socket of its own; connect to its `url`."""
    query = parse_qs(urlsplit(database_url).query)
    folder, name = Path(query["host"][0]), f".s.PGSQL.{query['port'][0]}"
    with TemporaryDirectory(prefix="proxy-") as own, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(Path(own) / name))
        listener.listen()
        proxy = CountingProxy(database_url.replace(quote(str(folder), safe=""), quote(own, safe="")))
        assert proxy.url != database_url
        Thread(target=_accept, args=(listener, str(folder / name), proxy), daemon=True).start()
        yield proxy
        listener.shutdown(socket.SHUT_RDWR)


def _accept(listener: socket.socket, server: str, proxy: CountingProxy) -> None:
    with suppress(OSError):
        while True:
            client, _ = listener.accept()
            upstream = socket.socket(socket.AF_UNIX)
            upstream.connect(server)
            with proxy.lock:
                proxy.open += 1
            Thread(target=_ask, args=(client, upstream, proxy), daemon=True).start()
            Thread(target=_answer, args=(client, upstream, proxy), daemon=True).start()


def _answer(client: socket.socket, upstream: socket.socket, proxy: CountingProxy) -> None:
    """Forward what Postgres sends to the service; discard what arrives after the connection was cut."""
    while part := _received(upstream):
        with suppress(OSError):
            client.sendall(part)
    _close(client)
    with proxy.lock:
        proxy.open -= 1


def _ask(client: socket.socket, upstream: socket.socket, proxy: CountingProxy) -> None:
    """Forward what the service sends to Postgres, message by message."""
    prepared: dict[bytes, bytes] = {}
    bound = b""
    for kind, body, message in _messages(client):
        cut = False
        if kind == b"P":
            name, text, _ = body.split(b"\0", 2)
            prepared[name] = text
        elif kind == b"B":
            bound = prepared[body.split(b"\0", 2)[1]]
        elif kind in (b"E", b"Q"):
            cut = proxy.ran((bound if kind == b"E" else body.rstrip(b"\0")).decode())
        if kind in (b"S", b"Q"):
            with proxy.lock:
                proxy.waits += 1
        if cut:
            _close(client)  # before Postgres can answer
        if cut and not proxy.after:
            break
        with suppress(OSError):  # it has ended
            upstream.sendall(message)
            if cut:
                upstream.sendall(b"S\0\0\0\4")  # the end of the request, so that it is committed
        if cut:
            break
    _close(client)
    with suppress(OSError):
        upstream.shutdown(socket.SHUT_WR)


def _messages(client: socket.socket) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Yield the messages of a connection: type, body, and all bytes. The first one has no type."""
    received, head = b"", 0
    while part := _received(client):
        received += part
        while len(received) >= head + 4:
            end = head + int.from_bytes(received[head : head + 4])
            if len(received) < end:
                break
            yield received[:head], received[head + 4 : end], received[:end]
            received, head = received[end:], 1


def _received(end: socket.socket) -> bytes:
    with suppress(OSError):
        return end.recv(1 << 16)
    return b""


def _close(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
