"""Complete HTTP responses as bytes, which the web server sends without calling the application.

Pages of other sites may read them: they are the same for everybody.
"""

from email.utils import formatdate
from functools import cache

from service.api import cors, errors
from service.api.headers import NOSNIFF
from service.api.responses import ApiResponse
from service.language.languages import Language

_ALWAYS = (("Cache-Control", "no-store"), NOSNIFF, *cors.HEADERS)


def of_status(status: int, request_id: str) -> bytes:
    """Return the problem for a request that cannot be parsed, in English; the connection is closed after it."""
    return _bytes(_of_status(status), ("X-Request-Id", request_id), closing=True)


def overloaded(language: Language, *, closing: bool, bare: bool) -> bytes:
    """Return the refusal of a request under overload; with `bare`, without the body, for a HEAD.

    It has no ``X-Request-Id``, because those who are refused are logged together.
    """
    return _bytes(_overloaded(language), closing=closing, bare=bare)


_of_status = cache(errors.of_status)


@cache
def _overloaded(language: Language) -> ApiResponse:
    return errors.of_refusal(errors.OVERLOADED, language)


def _bytes(response: ApiResponse, *more: tuple[str, str], closing: bool, bare: bool = False) -> bytes:
    head = [
        f"HTTP/1.1 {response.status_line}",
        f"Date: {formatdate(usegmt=True)}",
        f"Connection: {'close' if closing else 'keep-alive'}",
        *(f"{name}: {value}" for name, value in (*response.header_list(), *_ALWAYS, *more)),
    ]
    return "\r\n".join([*head, "", ""]).encode("latin-1") + (b"" if bare else response.body or b"")
