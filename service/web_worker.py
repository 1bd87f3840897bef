"""gunicorn's worker of threads, such that no client can take the threads from the others, and more requests than can be
worked on are refused at once.

- A thread gets a request when the whole of it is there (`service.incoming`); until then the one loop that waits for all
  connections reads it. Answers go into a buffer of the kernel that holds any of ours. So a client that sends or reads
  slowly holds a connection and no thread, and that not for ever. When there are as many connections as may be, the one
  that has been waited for the longest makes room.
- A request that would have to wait for a thread behind too many others, or has waited too long, is refused (503
  ``overloaded``) by the loop itself. When all threads are busy it answers ``/healthz`` as well.
- What can't be read is refused as the API refuses: gunicorn's own answers are HTML, and its own log lines quote what
  came, which can be a link with its secret, and by whom.
- A connection is closed only when the client has got its answer: one that still sends would lose it.
"""

import socket
import sys
import time
from concurrent.futures import Future
from functools import partial
from selectors import EVENT_READ
from typing import Any

import structlog
from gunicorn.http.errors import LimitRequestHeaders, LimitRequestLine, ParseException
from gunicorn.util import write_nonblock
from gunicorn.workers.gthread import ThreadWorker

from service import metrics, web_answers
from service.web_connection import Connection

REQUEST_SECONDS = 10.0
"""In which a request must have come, from its first byte or the connection's beginning."""

ANSWER_SECONDS = 30.0
"""In which a thread must be done with a request, its answer given away; then the connection is cut."""

LINGER_SECONDS = 5.0
"""For which a connection that ends is kept for a client that still sends."""

LONGEST_WAIT = 1.0
"""Seconds that a request waits for a thread."""

QUEUED_PER_THREAD = 8
"""Requests that may wait for each thread."""

SWITCH_SECONDS = 0.0005
"""After which a thread that works lets another one go on, a tenth of the interpreter's own span: the loop does many small
things, and before each it would wait so long for every thread that works."""

_TICK = 0.1
_MOST_DRAINED = 64 * 1024 * 1024
_STATUS_OF = {LimitRequestLine: 414, LimitRequestHeaders: 431}


class Worker(ThreadWorker):  # type: ignore[misc]
    """The worker."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Connections that the loop waits for, in the order of their deadlines: for a next request, for the rest of one,
        # for the client to close. And those that threads have, with when they got them.
        self._idle: dict[Connection, float] = {}
        self._reading: dict[Connection, float] = {}
        self._lingering: dict[Connection, float] = {}
        self._in_hand: dict[Connection, tuple[Future[Any], float]] = {}
        self._next_sweep = 0.0
        self._refused = 0
        self._log = structlog.get_logger("service.web")

    def init_process(self) -> None:
        """Called by gunicorn in the new process."""
        sys.setswitchinterval(SWITCH_SECONDS)
        super().init_process()

    # Reading

    def accept(self, listener: socket.socket) -> None:
        """Called by gunicorn when somebody connects."""
        try:
            client, address = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):  # another process was faster
            return
        if self.nr_conns >= self.worker_connections - 1:
            self._make_room()
        self.nr_conns += 1
        connection = Connection(self.cfg, client, address, listener.getsockname())
        received = connection.receive()
        if received == b"":
            self._close(connection)
        elif received and connection.incoming.feed(received):
            self._hand_on(connection)
        else:
            self._await(connection, self._reading, REQUEST_SECONDS)
            connection.invite()

    def _make_room(self) -> None:
        for waiting in (self._lingering, self._idle, self._reading):
            if waiting:
                self._drop(next(iter(waiting)))
                return

    def _await(self, connection: Connection, among: dict[Connection, float], seconds: float) -> None:
        connection.sock.setblocking(False)
        among[connection] = time.monotonic() + seconds
        called = self._drain if among is self._lingering else self._read
        self.poller.register(connection.sock, EVENT_READ, partial(called, connection))

    def _forget(self, connection: Connection) -> None:
        self.poller.unregister(connection.sock)
        for waiting in (self._reading, self._idle, self._lingering):
            if waiting.pop(connection, None) is not None:
                return

    def _read(self, connection: Connection, _: object) -> None:
        """Takes what has come, and hands the request on if it is complete."""
        received = connection.receive()
        if received is None:
            return
        incoming = connection.incoming
        if not received:
            self._drop(connection)
        elif incoming.feed(received):
            self._forget(connection)
            self._hand_on(connection)
        else:
            if self._idle.pop(connection, None) is not None:
                self._reading[connection] = time.monotonic() + REQUEST_SECONDS
            connection.invite()

    # Working

    def _hand_on(self, connection: Connection) -> None:
        threads = self.cfg.threads
        if len(self._in_hand) < threads:
            self.enqueue_req(connection)
        elif connection.incoming.asks_for(b"GET /healthz ", b"HEAD /healthz "):
            bare = connection.incoming.asks_for(b"HEAD ")
            self._answer(connection, web_answers.alive(closing=self._is_last(connection), bare=bare))
        elif len(self._in_hand) < threads * (1 + QUEUED_PER_THREAD):
            self.enqueue_req(connection)
        else:
            self._refuse(connection)

    def enqueue_req(self, conn: Connection) -> None:
        """Gives a request to the threads."""
        conn.prepare()
        future = self.tpool.submit(self.handle, conn)
        self._in_hand[conn] = (future, time.monotonic())
        future.add_done_callback(lambda done: self.method_queue.defer(self.finish_request, conn, done))

    def handle_request(self, req: Any, conn: Connection) -> Any:
        """Called by gunicorn in a thread."""
        if not conn.incoming.whole:
            req.force_close()
        if conn.continued:
            req._expected_100_continue = False  # it was said already
        return super().handle_request(req, conn)

    def _keepalive_after(self, conn: Connection, keepalive: bool) -> bool:
        """Called by gunicorn in a thread after each answer: whether the connection can be used again."""
        try:
            return bool(keepalive and conn.incoming.whole and conn.parser.finish_body())
        except ParseException:  # where the next request would start is unknown
            return False

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """Called by gunicorn in a thread when a request can't be read (``ParseException``), or its own work fails."""
        if isinstance(exc, ParseException):
            status = _STATUS_OF.get(type(exc), 400)
            self._log.warning("unreadable request", kind=type(exc).__name__, status=status)
        else:
            status = 500
            self._log.error("error", exc_info=exc)
        try:
            write_nonblock(client, web_answers.of_status(status))
        except OSError:
            self._log.info("the client left before its answer")

    def finish_request(self, conn: Connection, fs: "Future[Any]") -> None:
        """Called in the loop when a thread is done with a request, or when none is to begin it any more."""
        del self._in_hand[conn]
        if fs.cancelled():
            self._refuse(conn)
        elif fs.exception() is None and fs.result():
            self._go_on(conn)
        else:
            self._linger(conn)

    # Answering without a thread

    def _refuse(self, connection: Connection) -> None:
        self._refused += 1
        bare = connection.incoming.asks_for(b"HEAD ")
        self._answer(connection, web_answers.overloaded(closing=self._is_last(connection), bare=bare))

    def _is_last(self, connection: Connection) -> bool:
        incoming = connection.incoming
        return not self.alive or not incoming.whole or incoming.closes or bool(incoming.rest)

    def _answer(self, connection: Connection, answer: bytes) -> None:
        if connection.send(answer) and not self._is_last(connection):
            self._go_on(connection)
        else:
            self._linger(connection)

    # Going on, and ending

    def _go_on(self, connection: Connection) -> None:
        """Waits for the next request on this connection; it can have begun already."""
        rest = connection.incoming.rest
        connection.begin()
        if rest and connection.incoming.feed(rest):
            self._hand_on(connection)
        elif rest:
            self._await(connection, self._reading, REQUEST_SECONDS)
        else:
            self._await(connection, self._idle, self.cfg.keepalive)

    def _linger(self, connection: Connection) -> None:
        """Says that no more will come, and waits for the client to close."""
        try:
            connection.sock.shutdown(socket.SHUT_WR)
        except OSError:
            self._close(connection)
            return
        self._await(connection, self._lingering, LINGER_SECONDS)

    def _drain(self, connection: Connection, _: object) -> None:
        received = connection.receive()
        if received is None:
            return
        connection.drained += len(received)
        if not received or connection.drained > _MOST_DRAINED:
            self._drop(connection)

    def _drop(self, connection: Connection) -> None:
        self._forget(connection)
        self._close(connection)

    def _close(self, connection: Connection) -> None:
        self.nr_conns -= 1
        connection.close()

    # By the clock

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        """Called by gunicorn, again and again."""
        super().wait_for_and_dispatch_events(min(timeout, _TICK) if self._in_hand else timeout)

    def murder_pending(self) -> None:
        """Called by gunicorn after that: ends what has taken too long."""
        now = time.monotonic()
        if now < self._next_sweep:
            return
        self._next_sweep = now + _TICK
        for connection, (future, began) in list(self._in_hand.items()):
            if now < began + LONGEST_WAIT:
                break
            if not future.cancel() and now > began + ANSWER_SECONDS:
                connection.cut()
        for connection in _overdue(self._reading, now):
            self._forget(connection)
            if connection.incoming.data and connection.send(web_answers.of_status(408)):
                self._linger(connection)
            else:
                self._close(connection)
        for waiting in (self._idle, self._lingering):
            for connection in _overdue(waiting, now):
                self._drop(connection)
        if self._refused:
            metrics.overloaded(self._refused)
            self._log.warning("overloaded", refused=self._refused)
            self._refused = 0

    def murder_keepalived(self, force: bool = False) -> None:
        """Called by gunicorn too: with `force` at the very end."""
        if force:
            for waiting in (self._idle, self._reading, self._lingering):
                for connection in list(waiting):
                    self._drop(connection)

    def _cap_keepalive(self, deadline: float) -> None:
        """Called by gunicorn when it is asked to stop."""
        for connection, until in self._idle.items():
            self._idle[connection] = min(until, deadline)


def _overdue(waiting: dict[Connection, float], now: float) -> list[Connection]:
    overdue = []
    for connection, until in waiting.items():
        if now < until:
            break
        overdue.append(connection)
    return overdue
