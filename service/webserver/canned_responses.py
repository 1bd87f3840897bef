"""Complete HTTP responses as bytes, which the web server sends without calling the application.

Pages of other sites may read them: they are the same for everybody.
"""

from functools import cache

from service.api import cors, errors
from service.api.headers import NOSNIFF
from service.api.responses import ApiResponse


@cache
def of_status(status: int) -> bytes:
    """Return the problem for a request that cannot be parsed; the connection is closed after it."""
    return _bytes(errors.of_status(status), closing=True)


@cache
def overloaded(*, closing: bool, bare: bool) -> bytes:
    """Return the refusal of a request under overload; with `bare`, without the body, for a HEAD."""
    return _bytes(errors.of_refusal(errors.OVERLOADED), closing=closing, bare=bare)


def _bytes(response: ApiResponse, *, closing: bool, bare: bool = False) -> bytes:
    head = [
        f"HTTP/1.1 {response.status_line}",
        f"Connection: {'close' if closing else 'keep-alive'}",
        *(f"{name}: {value}" for name, value in (*response.header_list(), NOSNIFF, *cors.HEADERS)),
    ]
    return "\r\n".join([*head, "", ""]).encode("latin-1") + (b"" if bare else response.body or b"")
