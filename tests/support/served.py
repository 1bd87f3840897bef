"""Serve an application on a port of its own, for browsers and programs."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import TYPE_CHECKING, Any

from werkzeug.serving import WSGIRequestHandler, make_server

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication


class Quiet(WSGIRequestHandler):
    """A request handler that logs nothing."""

    def log(self, type: str, message: str, *args: Any) -> None:
        """Log nothing."""


@contextmanager
def served(app: "WSGIApplication") -> Iterator[str]:
    """Serve an application on a port of its own, and yield its address."""
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=Quiet)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
