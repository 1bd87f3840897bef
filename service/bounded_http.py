"""HTTP connections to services that are not trusted: with limits on each wait, and on a whole response.

A socket's time-out limits one wait for bytes, so whoever sends a byte now and then is not noticed by it. A timer ends
such a response.
"""

from __future__ import annotations

import http.client
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from urllib.parse import SplitResult

LONGEST_PAUSE: Final = 60
"""The seconds that a service may ask to be left alone for."""

SCHEMES: Final = ("http", "https")

_SECONDS = re.compile(r"[0-9]{1,4}")


def connection_to(parts: SplitResult, seconds: float) -> http.client.HTTPConnection:
    """Return a connection to the host of a URL.

    Args:
        parts: the parts of the URL, whose scheme is one of `SCHEMES`.
        seconds: the time that connecting and each wait for bytes may take.

    Raises:
        OSError: the host can't be reached.
    """
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=seconds)
    connection.connect()
    return connection


@contextmanager
def within(connection: http.client.HTTPConnection, seconds: float) -> Iterator[None]:
    """End what the block reads from a connection after a number of seconds."""
    timer = threading.Timer(seconds, _cut, (connection.sock,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def pause_asked(response: http.client.HTTPResponse) -> int | None:
    """Return the seconds for which a busy service wants to be left alone; None if it is not busy, or for too many."""
    asked = response.headers.get("Retry-After", "")
    if response.status not in (429, 503) or not _SECONDS.fullmatch(asked) or int(asked) > LONGEST_PAUSE:
        return None
    return max(1, int(asked))


def reason(error: Exception) -> str:
    """Return the cause of an error, for a sentence that ends with it."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def _cut(connected: socket.socket) -> None:
    try:
        socket.socket.shutdown(connected, socket.SHUT_RDWR)  # what is below TLS, so that the reader meets an end
    except OSError:
        pass  # it is closed already
