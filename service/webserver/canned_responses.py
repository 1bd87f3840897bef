"""Complete HTTP responses as bytes, which the web server sends without calling the application."""

import json
from functools import cache

from service.api import errors
from service.api.headers import NOSNIFF
from service.api.health import ALIVE, NO_STORE
from service.api.requests import JSON
from service.api.responses import ApiResponse


@cache
def of_status(status: int) -> bytes:
    """Return the problem for a request that cannot be parsed; the connection is closed after it."""
    return _bytes(errors.of_status(status), closing=True)


@cache
def overloaded(*, closing: bool, bare: bool) -> bytes:
    """Return the refusal of a request under overload; with `bare`, without the body, for a HEAD."""
    return _bytes(errors.of_refusal(errors.OVERLOADED), closing=closing, bare=bare)


@cache
def alive(*, closing: bool, bare: bool) -> bytes:
    """Return the response of ``/healthz``; with `bare`, without the body, for a HEAD."""
    body = json.dumps(ALIVE).encode()
    return _bytes(ApiResponse(200, body, {"Content-Type": JSON, **NO_STORE}), closing=closing, bare=bare)


def _bytes(response: ApiResponse, *, closing: bool, bare: bool = False) -> bytes:
    head = [
        f"HTTP/1.1 {response.status_line}",
        f"Connection: {'close' if closing else 'keep-alive'}",
        *(f"{name}: {value}" for name, value in (*response.header_list(), NOSNIFF)),
    ]
    return "\r\n".join([*head, "", ""]).encode("latin-1") + (b"" if bare else response.body or b"")
