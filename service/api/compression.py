"""gzip compression of responses, if the client accepts it (RFC 9110, 8.4 and 12.5.3).

The ETag stays the strong one of the uncompressed response. Strictly, a strong tag names one representation, so that
ranges of it can be combined. There are no ranges here, and strong tags are compared for `If-Match` only: a move sends
back the tag of its game's response, compressed or not. `Vary` keeps caches from serving either to the wrong client.

Responses that contain a secret beside text that somebody else may choose are not compressed, because their length could
reveal the secret (BREACH): new access tokens, and most pages that are opened by a signed link or by a cookie. The pages
that show a table are large, so they are compressed, with a file name of random length in the gzip header, which hides
the length of the rest; those that are cached come compressed already (`service.pages.compressed_page`). The rest of the
API is not exposed to that attack: it takes no cookies, so no other site can have a browser request what is private.
"""

from __future__ import annotations

import gzip
import secrets
from collections.abc import Callable, Iterable
from functools import lru_cache
from io import BytesIO
from typing import TYPE_CHECKING, Any

from flask import Flask
from werkzeug.datastructures import Accept
from werkzeug.http import parse_accept_header

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

LEAST, MOST = 1_000, 2_000_000
"""The sizes, in bytes, of responses that are compressed: fewer save no packets; more would delay other requests."""

LEVEL = 3
"""The compression level; higher ones take twice the time to save a twentieth of the bytes."""

_LARGE = 16_000
"""Bytes from which on what was compressed last is cached."""

_TYPES = frozenset(
    {
        "application/atom+xml",
        "application/json",
        "application/yaml",
        "image/svg+xml",
        "text/css",
        "text/html",
        "text/javascript",
        "text/markdown",
        "text/vnd.nova-luna",
    }
)
_STATUSES = ("200", "201")
_COMPRESSED_ALREADY = ".png"
_SECRET = ("/v1/tokens", "/v1/sign-ins", "/v1/me/calendar", "/v1/me/invitations")
_SECRET_TOO = "/invitation-links"
_PAGES = ("/docs", "/openapi.", "/rules", "/programs", "/scripts", "/verify", "/offline")
"""What the paths of the pages begin with that are the same for everybody."""

_WITH_TABLES = ("/", "/tables/open")
"""The paths of other pages that show tables: the front page, and the list of open ones."""

_PRIVATE_PAGES = ("/games/", "/explorations/", "/imports/")
"""What the paths of the pages of tables begin with."""

PADDING = 256
"""One more than the longest file name that hides the length of a private page."""

_LONGEST_HEADER = 200


class Compression:
    """Middleware that compresses the responses of an application that sends the status and headers before the body."""

    def __init__(self, app: WSGIApplication) -> None:
        self._app = app

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if not _may_be_compressed(environ["REQUEST_METHOD"], environ["PATH_INFO"]):
            return self._app(environ, start_response)
        started: list[Any] = []

        def start(status: str, headers: list[tuple[str, str]], *error: Any) -> Callable[[bytes], object]:
            started[:] = [status, headers, *error]
            return _refuse_writing

        body = self._app(environ, start)
        status, headers, *error = started
        if status[:3] == "304" and not environ["PATH_INFO"].endswith(_COMPRESSED_ALREADY):
            add_vary(headers)  # as the response has it that is still valid
        elif not error and status[:3] in _STATUSES and _is_worth_it(headers):
            add_vary(headers)
            if takes_gzip(environ.get("HTTP_ACCEPT_ENCODING", "")):
                body = [_compressed(body, headers, padded=_is_of_a_table(environ["PATH_INFO"]))]
        start_response(status, headers, *error)
        return body


def init_app(app: Flask) -> None:
    """Compress the responses of an application."""
    app.wsgi_app = Compression(app.wsgi_app)  # type: ignore[method-assign]  # as Flask's documentation has it


def _may_be_compressed(method: str, path: str) -> bool:
    if method not in ("GET", "POST"):
        return False
    if not path.startswith("/v1/"):
        return path.startswith(_PAGES) or (method == "GET" and _is_of_a_table(path))
    return not path.startswith(_SECRET) and not path.endswith(_SECRET_TOO)


def _is_of_a_table(path: str) -> bool:
    """Return whether a page shows a table, and may have a secret."""
    return path in _WITH_TABLES or path.startswith(_PRIVATE_PAGES)


def _is_worth_it(headers: list[tuple[str, str]]) -> bool:
    size, kind = 0, ""
    for name, value in headers:  # spelled as we and Flask spell them
        if name == "Content-Length":
            size = int(value)
        elif name == "Content-Type":
            kind = value
        elif name == "Content-Encoding":
            return False
    return LEAST <= size <= MOST and (kind in _TYPES or kind.partition(";")[0] in _TYPES)


def add_vary(headers: list[tuple[str, str]]) -> None:
    """Add to a response's headers that it depends on what the client accepts."""
    for place, (name, value) in enumerate(headers):
        if name == "Vary":
            headers[place] = name, f"{value}, Accept-Encoding"
            return
    headers.append(("Vary", "Accept-Encoding"))


def takes_gzip(header: str) -> bool:
    """Return whether a client accepts gzip; a header that is too long counts as a no."""
    return len(header) <= _LONGEST_HEADER and _is_taken(header)


@lru_cache(maxsize=256)
def _is_taken(header: str) -> bool:
    return bool(parse_accept_header(header, Accept)["gzip"] > 0)


def _compressed(body: Iterable[bytes], headers: list[tuple[str, str]], *, padded: bool) -> bytes:
    """Return the compressed body, and change the headers to match it."""
    try:
        plain = b"".join(body)
        gzipped = _padded if padded else _cached if len(plain) >= _LARGE else _gzip
        whole = gzipped(plain)
    finally:
        close = getattr(body, "close", None)
        if close is not None:
            close()
    headers[:] = [(name, value) for name, value in headers if name.lower() != "content-length"]
    headers += [("Content-Encoding", "gzip"), ("Content-Length", str(len(whole)))]
    return whole


def _gzip(plain: bytes) -> bytes:
    return gzip.compress(plain, LEVEL, mtime=0)


def _padded(plain: bytes) -> bytes:
    """Compress a body, and hide how long that makes it: the header has a file name (RFC 1952, 2.3) of random length."""
    buffer = BytesIO()
    with gzip.GzipFile("-" * secrets.randbelow(PADDING), "wb", LEVEL, buffer, mtime=0) as file:
        file.write(plain)
    return buffer.getvalue()


# What is large is mostly a drawing, or a document, that comes again: as the same object then, whose hash is known.
_cached = lru_cache(maxsize=64)(_gzip)


def _refuse_writing(part: bytes) -> object:
    raise NotImplementedError("a response is returned as a body, not written")
