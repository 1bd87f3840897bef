"""Admission: which requests are worked on, and when. WSGI middleware around the application.

First the whole of a request is waited for, so that clients that send slowly hold nothing but their connections. Then so
many are worked on at once, a few times as many wait for a moment, and all others are refused with bytes that are made
beforehand: a refusal that is built costs as much as an answer. ``/healthz`` passes by.

A place is held while the application makes its answer, not while the answer is sent or streamed: who waits for
something that other requests bring about (a stream, a long poll) does so in the answer's iterator, and holds none.
"""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from typing import TYPE_CHECKING, cast

from gevent import sleep
from gevent.lock import BoundedSemaphore
from gunicorn.workers.base_async import ALREADY_HANDLED

from service.api.bodies import MAX_BODY, READ_LIMIT
from service.webserver import canned_responses

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from service.webserver.connection import Connection

LONGEST_WAIT = 1.0
"""Seconds that a request waits for a place."""

WAITING_PER_PLACE = 8
"""Requests that may wait for each place."""

_PIECE = 256

_MOST_FRAMING = 2 * MAX_BODY
"""Bytes of a chunked body that are not its content, but sizes and ends of chunks, or read ahead."""

_USUAL_FRAMING = 16 * 1024
_PAUSE = 0.02


class Admission:
    """Lets so many requests at once to the application. `refused` counts the others."""

    def __init__(self, app: WSGIApplication, at_once: int) -> None:
        self._app = app
        self._places = BoundedSemaphore(at_once)
        self._most_waiting = WAITING_PER_PLACE * at_once
        self._waiting = 0
        self.refused = 0

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        connection: Connection = environ["gunicorn.socket"]
        if "HTTP_TRANSFER_ENCODING" in environ:
            environ["wsgi.input"] = BytesIO(_chunked(environ, connection))
        elif length := int(environ.get("CONTENT_LENGTH") or 0):
            if length <= MAX_BODY:
                environ["wsgi.input"] = BytesIO(environ["wsgi.input"].read(length))
            else:  # the application refuses it unread
                connection.leave_unread()
        connection.work()
        if environ["PATH_INFO"] == "/healthz":
            return self._app(environ, start_response)
        if not self._admits():
            self.refused += 1
            connection.sendall(_refusal(environ, connection))
            return cast("Iterable[bytes]", ALREADY_HANDLED)
        try:
            return self._app(environ, start_response)
        finally:
            self._places.release()

    def _admits(self) -> bool:
        if not self._waiting and self._places.acquire(blocking=False):
            return True
        if self._waiting >= self._most_waiting:
            return False
        self._waiting += 1
        try:
            return bool(self._places.acquire(timeout=LONGEST_WAIT))
        finally:
            self._waiting -= 1


def _refusal(environ: WSGIEnvironment, connection: Connection) -> bytes:
    return canned_responses.overloaded(
        closing=connection.request.should_close(), bare=environ["REQUEST_METHOD"] == "HEAD"
    )


def _chunked(environ: WSGIEnvironment, connection: Connection) -> bytes:
    """The body, or as much of one that is too large as shows that.

    Taking chunks apart computes and lets nobody else go on meanwhile. So it is done piece by piece, and with a pause
    after each where they are so small that it costs more than what else a client may ask for.
    """
    body = b""
    while len(body) <= READ_LIMIT and connection.received - len(body) <= _MOST_FRAMING:
        before = connection.received
        piece: bytes = environ["wsgi.input"].read(_PIECE)
        body += piece
        if len(piece) < _PIECE:
            return body
        costly = connection.received - before > _PIECE and connection.received > 4 * len(body) + _USUAL_FRAMING
        sleep(_PAUSE if costly else 0)
    connection.leave_unread()
    return body.ljust(READ_LIMIT)
