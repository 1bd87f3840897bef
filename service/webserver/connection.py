"""A client's connection with time limits on every wait; this module is on the hot path."""

from __future__ import annotations

import errno
import socket
import time
from collections.abc import Callable
from typing import Any

from gevent import get_hub, sleep
from gunicorn.http.errors import LimitRequestHeaders

HEAD_SECONDS = 10.0
"""Seconds for a request's head, from its first byte or the connection's beginning; then as many for its body."""

SEND_SECONDS = 30.0
"""Seconds in which the client must receive a response."""

LINGER_SECONDS = 5.0
"""Seconds for which a connection stays open after its last response if the client is still sending.

If it were closed at once, the client could lose the response.
"""

MOST_HEAD = 32 * 1024
"""The most bytes of a request's line and headers together."""

_SEND_BUFFER = 256 * 1024
"""Bytes of a response that the kernel buffers for a client that does not read; it doubles this for its own needs."""

_READABLE = 1
_READ_AT_ONCE = 64 * 1024
_READS_IN_A_ROW = 16


class SlowRequest(Exception):
    """A request was not complete in time."""


class HttpConnection:
    """gevent's socket as gunicorn uses it, with time limits.

    Args:
        sock: the socket.
        waiting: all connections that wait for their clients, the longest-waiting first; this one enters and leaves it.
    """

    def __init__(self, sock: Any, waiting: dict[HttpConnection, None]) -> None:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
        self._sock = sock
        self._waiting = waiting
        self._reads = 0
        self._lingers = self._is_cut = False
        self.request: Any = None
        self.answered = 0
        self._head = b""
        self._watcher: Any = None
        self.await_request(HEAD_SECONDS)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sock, name)

    def await_request(self, seconds: float) -> None:
        """Start waiting for the first byte of a request, for `seconds` at most."""
        self._unwatch()
        if self.request is not None:
            self.answered += 1
            self._send_head()
        self.request = None
        self.received = 0
        self._until = time.monotonic() + seconds
        self._waiting[self] = None

    def await_body(self, request: Any) -> None:
        """Start waiting for the body of a request whose head was received."""
        self.request = request
        self.received = 0
        self._until = time.monotonic() + HEAD_SECONDS

    def work(self) -> None:
        """Note that the request is complete, so the client is no longer waited for."""
        self._waiting.pop(self, None)

    def when_gone(self, callback: Callable[[], None]) -> None:
        """Call back once if the client closes the connection while its response is being made.

        What else it sends is the beginning of its next request, and then it is no longer watched.
        """
        self._unwatch()
        self._watcher = get_hub().loop.io(self._sock.fileno(), _READABLE)
        self._watcher.start(self._look, callback)

    def _look(self, callback: Callable[[], None]) -> None:
        self._unwatch()
        try:
            is_gone = not self._sock._sock.recv(1, socket.MSG_PEEK)
        except OSError as error:
            is_gone = error.errno not in (errno.EAGAIN, errno.EINTR)
        if is_gone:
            callback()

    def _unwatch(self) -> None:
        if self._watcher is not None:
            self._watcher.stop()
            self._watcher.close()
            self._watcher = None

    @property
    def is_idle(self) -> bool:
        """True if nothing of a request was received."""
        return self.request is None and not self.received

    def recv(self, size: int) -> bytes:
        """Receive up to `size` bytes; none if the client has closed, or sent nothing while it may be idle.

        Raises:
            SlowRequest: the request takes too long.
            LimitRequestHeaders: the head is too long.
        """
        in_head = self.request is None
        if in_head:
            size = min(size, MOST_HEAD - self.received)  # so that the limit is the same however the head arrives
            if size <= 0:
                raise LimitRequestHeaders("the head is too long")
        self._reads += 1
        if (
            self._reads % _READS_IN_A_ROW == 0
        ):  # as long as more data is there, the socket does not yield to other greenlets
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
        if not received:  # the client has closed
            self._lingers = False
        elif in_head and not self.received:
            self._until = time.monotonic() + HEAD_SECONDS
        self.received += len(received)
        return received

    def sendall(self, data: bytes) -> None:
        """Send the data, a head together with what follows it; raise OSError if the client receives it too slowly."""
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
        """Leave the rest of the request unread, so that the connection takes no further request."""
        self._lingers = True
        if self.request is not None:
            self.request.force_close()

    def cut(self) -> None:
        """Shut the connection down at once, whoever is waiting on it."""
        self._waiting.pop(self, None)
        self._lingers, self._is_cut = False, True
        try:
            self._sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            return

    def close(self) -> None:
        """Close the connection after the client had time to read its response."""
        self._unwatch()
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
