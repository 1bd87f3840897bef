"""A client's connection, on which nothing is waited for without end: this module is on the hot path."""

from __future__ import annotations

import errno
import socket
import time
from typing import Any

from gevent import sleep
from gunicorn.http.errors import LimitRequestHeaders

HEAD_SECONDS = 10.0
"""In which a request's head must have come, from its first byte or the connection's beginning; then its body as well."""

SEND_SECONDS = 30.0
"""In which the client must have taken what it is sent."""

LINGER_SECONDS = 5.0
"""For which a connection that ends with an answer is kept for a client that still sends what nobody reads: closed under
it, it would lose its answer."""

MOST_HEAD = 32 * 1024
"""Bytes of a request's line and headers together."""

_SEND_BUFFER = 256 * 1024
"""Bytes of an answer that the kernel takes while the client takes none; it doubles this for its own needs."""

_READ_AT_ONCE = 64 * 1024
_READS_IN_A_ROW = 16


class SlowRequest(Exception):
    """A request did not come to its end in time."""


class Connection:
    """gevent's socket as gunicorn uses it, with time limits. `waiting` holds all connections that wait for their clients,
    in the order since when."""

    def __init__(self, sock: Any, waiting: dict[Connection, None]) -> None:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
        self._sock = sock
        self._waiting = waiting
        self._reads = 0
        self._lingers = self._is_cut = False
        self.request: Any = None
        self.answered = 0
        self._head = b""
        self.await_request(HEAD_SECONDS)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sock, name)

    def await_request(self, seconds: float) -> None:
        """Begin to wait so long for the first byte of a request."""
        if self.request is not None:
            self.answered += 1
            self._send_head()
        self.request = None
        self.received = 0
        self._until = time.monotonic() + seconds
        self._waiting[self] = None

    def await_body(self, request: Any) -> None:
        """Begin to wait for the body of a request whose head is there."""
        self.request = request
        self.received = 0
        self._until = time.monotonic() + HEAD_SECONDS

    def work(self) -> None:
        """The whole request is there: the client is no longer waited for."""
        self._waiting.pop(self, None)

    @property
    def is_idle(self) -> bool:
        """Whether nothing of a request has come."""
        return self.request is None and not self.received

    def recv(self, size: int) -> bytes:
        """Receive up to `size` bytes, none if the client has closed or nothing came while it might be idle.

        Raises:
            SlowRequest: it takes too long.
            LimitRequestHeaders: the head is too long.
        """
        in_head = self.request is None
        if in_head and self.received >= MOST_HEAD:
            raise LimitRequestHeaders("the head is too long")
        self._reads += 1
        if self._reads % _READS_IN_A_ROW == 0:  # where more has come always, the socket lets nobody else go on
            sleep(0)
        try:
            self._sock.settimeout(max(0.001, self._until - time.monotonic()))
            received: bytes = self._sock.recv(min(size, _READ_AT_ONCE))
        except TimeoutError:
            if not self.is_idle:
                raise SlowRequest from None
            received = b""
        except OSError:
            if not self._is_cut:
                raise
            received = b""
        if not received:  # nobody is there to read on
            self._lingers = False
        elif in_head and not self.received:
            self._until = time.monotonic() + HEAD_SECONDS
        self.received += len(received)
        return received

    def sendall(self, data: bytes) -> None:
        """Send all of this, a head together with what follows it; a client that does not take it counts as gone."""
        if not self._head and data.startswith(b"HTTP/1.") and data.endswith(b"\r\n\r\n"):
            self._head = data
            return
        data, self._head = self._head + data, b""
        self._sock.settimeout(SEND_SECONDS)
        try:
            self._sock.sendall(data)
        except TimeoutError:
            self._lingers = False
            raise OSError(errno.ECONNRESET, "the client does not take its answer") from None

    def _send_head(self) -> None:
        if self._head:
            self.sendall(b"")

    def leave_unread(self) -> None:
        """What the client still sends will not be read, so there is no next request on it."""
        self._lingers = True
        if self.request is not None:
            self.request.force_close()

    def cut(self) -> None:
        """End it now, whoever waits for what on it."""
        self._waiting.pop(self, None)
        self._lingers, self._is_cut = False, True
        try:
            self._sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            return

    def close(self) -> None:
        """End it once the client had the time to read its answer."""
        try:
            self._send_head()
            if self._lingers:
                self._linger()
        finally:
            self._waiting.pop(self, None)
            self._sock.close()

    def _linger(self) -> None:
        self._sock.shutdown(socket.SHUT_WR)
        self._until = time.monotonic() + LINGER_SECONDS
        self._waiting[self] = None
        while (left := self._until - time.monotonic()) > 0:
            self._sock.settimeout(left)
            if not self._sock.recv(_READ_AT_ONCE):
                return
            sleep(0)
