"""Complete HTTP responses as bytes, which the web server sends without calling the application."""

from functools import cache

from flask import Response
from flask.json import dumps

from service.api import errors
from service.api.headers import NOSNIFF
from service.api.health import ALIVE, NO_STORE


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
    return _bytes(Response(dumps(ALIVE), headers=NO_STORE, mimetype="application/json"), closing=closing, bare=bare)


def _bytes(response: Response, *, closing: bool, bare: bool = False) -> bytes:
    head = [
        f"HTTP/1.1 {response.status}",
        f"Connection: {'close' if closing else 'keep-alive'}",
        *(f"{name}: {value}" for name, value in (*response.headers, NOSNIFF)),
    ]
    return "\r\n".join([*head, "", ""]).encode("latin-1") + (b"" if bare else response.get_data())
