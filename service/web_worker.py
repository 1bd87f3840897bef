"""gunicorn's worker, refusing what it cannot read as the API refuses, before any application is asked.

Its own answers are HTML, and its own log line quotes what came, which can be a link with its secret, and by whom. And
after a body that was refused unread it closes a connection that it has just promised to keep: whoever sends the next
request on it, or is still sending that body, sees it broken off and may lose the answer.
"""

import time
from typing import Any

import structlog
from gunicorn.http.errors import LimitRequestHeaders, LimitRequestLine, ParseException
from gunicorn.util import close_graceful, write_nonblock
from gunicorn.workers.gthread import ThreadWorker

from service.api.errors import of_status

#: How much of a body that nobody read is taken off the connection, and for how long.
_MOST_BYTES, _LONGEST_SECONDS = 64 * 1024 * 1024, 5.0

_STATUS_OF = {LimitRequestLine: 414, LimitRequestHeaders: 431}


class Worker(ThreadWorker):  # type: ignore[misc]  # the package has no types
    """The worker of threads."""

    def _keepalive_after(self, conn: Any, keepalive: bool) -> bool:
        """Called by gunicorn after each answer: whether the connection can be used again."""
        try:
            done = conn.parser.finish_body(time.monotonic() + _LONGEST_SECONDS, _MOST_BYTES)
        except ParseException:  # where the next request would start is unknown
            return False
        return bool(done and keepalive)

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """Called by gunicorn when a request cannot be read (``ParseException``), or its own work fails."""
        log = structlog.get_logger("service.web")
        if isinstance(exc, ParseException):
            status = _STATUS_OF.get(type(exc), 400)
            log.warning("unreadable request", kind=type(exc).__name__, status=status)
        else:
            status = 500
            log.error("error", exc_info=exc)
        try:
            write_nonblock(client, _message(status))
            close_graceful(client)
        except OSError:
            log.info("the client left before its answer")


def _message(status: int) -> bytes:
    """A whole HTTP answer, after which the connection is closed."""
    response = of_status(status)
    head = [
        f"HTTP/1.1 {response.status}",
        "Connection: close",
        *(f"{name}: {value}" for name, value in response.headers),
    ]
    return "\r\n".join([*head, "", ""]).encode("latin-1") + response.get_data()
