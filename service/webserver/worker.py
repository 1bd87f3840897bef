"""A gevent worker for gunicorn that no single client can monopolize.

`service.gunicorn_conf` loads this module before it calls `Worker.setup`. Code that is loaded before that must not hold
a lock or decide how to wait, as psycopg does when it is imported; hence the imports inside functions.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import gevent
import gevent.socket
import structlog
from gevent import monkey
from gevent.server import StreamServer
from gunicorn.http.errors import (
    InvalidResponseHeader,
    InvalidResponseHeaderName,
    LimitRequestHeaders,
    LimitRequestLine,
    ParseException,
)
from gunicorn.workers.ggevent import GeventWorker

from service.webserver.connection import HttpConnection, SlowRequest

_ACCEPTED_AT_ONCE = 512
"""Connections accepted in one turn of the loop.

gunicorn would accept one: under overload, nobody would be refused, as all would wait to be accepted.
"""

_STATUS_OF = {LimitRequestLine: 414, LimitRequestHeaders: 431, SlowRequest: 408}
_OURS = (InvalidResponseHeader, InvalidResponseHeaderName)


class AmbiguousHost(ParseException):  # type: ignore[misc]  # the package has no types
    """A request names no host, or several (RFC 9112, 3.2)."""


class Worker(GeventWorker):  # type: ignore[misc]  # the package has no types
    """The gevent worker with time limits on connections and with admission control; gunicorn calls its methods."""

    sockets: list[Any]
    wsgi: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._waiting: dict[HttpConnection, None] = {}
        self._connections = 0
        self._log = structlog.get_logger("service.web")

    @classmethod
    def setup(cls) -> None:
        """Patch the standard library except gunicorn's own fork and signals; gunicorn's second call changes nothing."""
        monkey.patch_all(os=False, signal=False)

    def patch(self) -> None:
        """Turn the listening sockets into gevent's, in the new process."""
        self.sockets = [gevent.socket.socket(s.FAMILY, s.sock.type, fileno=s.sock.detach()) for s in self.sockets]

    def load_wsgi(self) -> None:
        """Load the application and put admission control around it."""
        from service.webserver.admission import Admission

        gevent.get_hub().print_exception = self._report
        super().load_wsgi()
        self.wsgi = self._admission = Admission(self.wsgi, self.cfg.threads)

    def _report(self, context: object, kind: object, error: BaseException | None, trace: object) -> None:
        self._log.error("uncaught", exc_info=error)

    def server_class(self, listener: Any, *, spawn: Any, ssl_context: Any = None, **_: object) -> StreamServer:
        """Return a server for a listening socket."""
        tls = {"ssl_context": ssl_context} if ssl_context else {}
        server = StreamServer(listener, handle=partial(self.handle, listener), spawn=spawn, **tls)
        server.max_accept = _ACCEPTED_AT_ONCE
        return server

    def timeout_ctx(self) -> AbstractContextManager[None]:
        """Set no time limit for reading a head, since the connection has its own."""
        return nullcontext()

    def handle_exit(self, sig: int, frame: object) -> None:
        """End streams and long polls at once when the process is asked to end; gunicorn calls it for SIGTERM."""
        from service.events import hub

        super().handle_exit(sig, frame)
        gevent.spawn(hub.end_all)

    def notify(self) -> None:
        """Report that the loop turns, every second and repeatedly at the end, and log refused requests."""
        from service import metrics

        super().notify()
        if not self.alive:
            for connection in [each for each in self._waiting if each.is_idle]:
                connection.cut()
        if refused := self._admission.refused:
            self._admission.refused = 0
            metrics.overloaded(refused)
            self._log.warning("overloaded", refused=refused)

    def handle(self, listener: Any, client: Any, addr: Any) -> None:
        """Serve a connection; if there are too many, the one that has waited longest for its client is closed."""
        self._connections += 1
        if self._connections >= self.worker_connections and self._waiting:
            next(iter(self._waiting)).cut()
        try:
            super().handle(listener, HttpConnection(client, self._waiting), addr)
        finally:
            self._connections -= 1

    def handle_request(self, listener_name: Any, req: Any, sock: HttpConnection, addr: Any) -> None:
        """Serve a request whose head was received."""
        if sock.answered:  # several requests may have been received at once
            gevent.sleep(0)
        _check_host(req)
        sock.await_body(req)
        super().handle_request(listener_name, req, sock, addr)
        sock.await_request(self.cfg.keepalive)

    def handle_error(self, req: Any, client: HttpConnection, addr: Any, exc: BaseException) -> None:
        """Respond to a request that cannot be parsed or answered.

        gunicorn's own responses are HTML, and its own log lines quote the request, which can be a link with its secret,
        and its sender.
        """
        from service import request_log
        from service.webserver import canned_responses

        if isinstance(exc, gevent.GreenletExit):
            return
        request_id = request_log.new_id()
        if isinstance(exc, ParseException | SlowRequest) and not isinstance(exc, _OURS):
            status = _STATUS_OF.get(type(exc), 400)
            self._log.warning("unreadable request", request=request_id, kind=type(exc).__name__, status=status)
        else:
            status = 500
            self._log.error("error", request=request_id, exc_info=exc)
        client.leave_unread()
        try:
            client.sendall(canned_responses.of_status(status, request_id))
        except OSError:
            self._log.info("the client left before its answer")


def _check_host(request: Any) -> None:
    """Refuse a request with several hosts, or of HTTP/1.1 without any: other servers could take it for another one."""
    hosts = [name for name, _ in request.headers].count("HOST")
    if hosts > 1 or (hosts == 0 and request.version >= (1, 1)):
        raise AmbiguousHost
