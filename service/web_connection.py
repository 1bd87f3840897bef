"""A client's connection to the web server, with what it has brought. Nothing here waits for the client."""

import socket
from typing import Any

from gunicorn.http import RequestParser
from gunicorn.http.errors import LimitRequestHeaders
from gunicorn.http.unreader import Unreader
from gunicorn.workers.gthread import TConn

from service.incoming import Incoming

_READ_AT_ONCE = 64 * 1024

_SEND_BUFFER = 256 * 1024
"""Bytes of an answer that the kernel takes while the client takes none; it doubles this for its own needs."""


class _Received(Unreader):  # type: ignore[misc]  # the package has no types
    """A request's bytes for the parser: all that have come, and no waiting for more."""

    def __init__(self, incoming: Incoming) -> None:
        super().__init__()
        self._has_head = incoming.has_head
        self.unread(incoming.request)

    def chunk(self, size_hint: int | None = None) -> bytes:
        if not self._has_head:
            raise LimitRequestHeaders("the head is too long")
        return b""


class Connection(TConn):  # type: ignore[misc]
    """A connection.

    Attributes:
        incoming: the request that comes in, or is being answered.
        continued: the client was told to send its body.
        drained: bytes that came after the last answer.
    """

    def __init__(self, cfg: Any, sock: socket.socket, client: Any, server: Any) -> None:
        super().__init__(cfg, sock, client, server)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
        self.parser = RequestParser(cfg, iter(()), client)
        self.initialized = True
        self.drained = 0
        self.begin()

    def begin(self) -> None:
        """A new request begins."""
        self.incoming = Incoming()
        self.continued = False

    def prepare(self) -> None:
        """What came is what the parser gets to see."""
        self.parser.unreader = _Received(self.incoming)

    def receive(self) -> bytes | None:
        """What has come; b"" at the end, None if there is nothing yet."""
        try:
            return bytes(self.sock.recv(_READ_AT_ONCE))
        except (BlockingIOError, InterruptedError):
            return None
        except OSError:
            return b""

    def invite(self) -> None:
        """Tells a client that waits for it to send its body."""
        if self.incoming.expects and not self.continued:
            self.continued = True
            self.send(b"HTTP/1.1 100 Continue\r\n\r\n")

    def send(self, answer: bytes) -> bool:
        """Gives away a short answer; False: the client doesn't take it."""
        try:
            self.sock.setblocking(False)
            return bool(self.sock.send(answer) == len(answer))
        except OSError:
            return False

    def cut(self) -> None:
        """Ends what a thread is still sending to a client that doesn't read."""
        try:
            self.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            return
