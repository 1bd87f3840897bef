"""Admission control: WSGI middleware that decides which requests are processed, and when.

First, the whole request is received, so that slow clients hold nothing but their connections. Then a fixed number is
processed at once, a few times as many wait for a moment, and all others are refused with prepared bytes: building a
refusal would cost as much as a response. ``/healthz`` is always admitted, and so is OPTIONS: a browser would tell its
page nothing of a preflight request that was refused.

A slot is held while the application creates its response, not while that is sent or streamed. Code that waits for what
other requests do (a stream, a long poll) waits in the response's iterator, and so holds no slot.
"""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from typing import TYPE_CHECKING, cast

from gevent import sleep
from gevent.lock import BoundedSemaphore
from gunicorn.workers.base_async import ALREADY_HANDLED

from service.api.requests import MAX_BODY, READ_LIMIT, WHEN_GONE, ApiRequest
from service.webserver import canned_responses

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from service.webserver.connection import HttpConnection

LONGEST_WAIT = 1.0
"""Seconds that a request waits for a slot."""

WAITING_PER_PLACE = 8
"""The number of requests that may wait for each slot."""

_PIECE = 256

_MOST_FRAMING = 2 * MAX_BODY
"""The most bytes of a chunked body beside its content: sizes and ends of chunks, and bytes read ahead."""

_USUAL_FRAMING = 16 * 1024
_PAUSE = 0.02


class Admission:
    """WSGI middleware that passes a limited number of requests at a time to the application.

    Attributes:
        refused: the number of requests that were refused.
    """

    def __init__(self, app: WSGIApplication, at_once: int) -> None:
        self._app = app
        self._places = BoundedSemaphore(at_once)
        self._most_waiting = WAITING_PER_PLACE * at_once
        self._waiting = 0
        self.refused = 0

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        connection: HttpConnection = environ["gunicorn.socket"]
        if "HTTP_TRANSFER_ENCODING" in environ:
            environ["wsgi.input"] = BytesIO(_chunked(environ, connection))
        elif length := int(environ.get("CONTENT_LENGTH") or 0):
            if length <= MAX_BODY:
                environ["wsgi.input"] = BytesIO(environ["wsgi.input"].read(length))
            else:  # the application refuses it without reading it
                connection.leave_unread()
        connection.work()
        environ[WHEN_GONE] = connection.when_gone
        if environ["PATH_INFO"] == "/healthz" or environ["REQUEST_METHOD"] == "OPTIONS":
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


def _refusal(environ: WSGIEnvironment, connection: HttpConnection) -> bytes:
    return canned_responses.overloaded(
        ApiRequest(environ).language(),
        closing=connection.request.should_close(),
        bare=environ["REQUEST_METHOD"] == "HEAD",
    )


def _chunked(environ: WSGIEnvironment, connection: HttpConnection) -> bytes:
    """Return a chunked body; for one that is too large, return as many bytes as make the application refuse it.

    Decoding chunks is CPU work that blocks other greenlets. So it is done in pieces, with a pause after each if the
    chunks are so small that they cost more than anything else a client may request.
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
