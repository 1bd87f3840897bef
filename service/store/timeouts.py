"""Connections to Postgres on which nothing is waited for without end, even if the server is stopped or out of reach.

The server's own time-outs (`service.store.connecting`) end what takes too long while the server runs. A server that is
stopped in the midst, or a network that swallows all, tells nothing: then the client's side has to give up. All waiting
of psycopg, for a statement, a commit or a ping of the pool, goes through one method, so the bound is there. It lies
above that of the server, whose answer says more. A connection given up on is closed, as nobody knows what its statement
became; a caller sees `psycopg.OperationalError`, as when the server had ended.

Once a server was found away, it would be waited for by each thread anew. So a `Circuit` lets one of them try after a
pause, and refuses the others at once.
"""

from __future__ import annotations

import threading
import time
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, TypeVar

import psycopg
import structlog
from psycopg.abc import PQGen
from psycopg.errors import _WaitTimeout
from sqlalchemy import Engine, event

from service import metrics
from service.store.connecting import TimeoutPolicy

MARGIN = 1.5
"""Seconds that the client waits longer than the server's own time-out for a statement."""

PAUSE = 1.0
"""Seconds after which a database that was found away is tried again."""

_INTERVAL = 0.1

_R = TypeVar("_R")

_log = structlog.get_logger(__name__)


class Circuit:
    """What the threads of a process know of one database: whether it was there when last somebody asked.

    `pause` is the time in seconds between two tries while it is away; `clock` gives seconds that never go back.
    """

    def __init__(self, pause: float = PAUSE, clock: Callable[[], float] = time.monotonic) -> None:
        self._pause = pause
        self._clock = clock
        self._lock = threading.Lock()
        self._next_try: float | None = None
        self._cause: psycopg.Error | None = None

    @contextmanager
    def trying(self) -> Iterator[None]:
        """Around the making of a connection.

        Raises:
            psycopg.OperationalError: the database was away a moment ago, and it is not yet time to try, or somebody
                tries already.
        """
        with self._lock:
            if self._next_try is not None:
                if self._clock() < self._next_try:
                    raise psycopg.OperationalError("the database was found away a moment ago") from self._cause
                self._next_try = float("inf")  # until this try has ended
        try:
            yield
        except BaseException as error:
            self._cause = psycopg.OperationalError(str(error))  # without what its traceback holds
            self.failed()
            raise
        with self._lock:
            self._next_try = None

    def failed(self) -> None:
        """The database did not answer."""
        with self._lock:
            self._next_try = self._clock() + self._pause


class _Timeouts:
    """What a class of connections knows: the longest wait in seconds (None: for ever), and whom to tell of one given
    up."""

    longest: ClassVar[float | None]
    given_up: ClassVar[Callable[[], None]]


class TimeoutConnection(psycopg.Connection[Any], _Timeouts):
    """A connection that waits for nothing longer than its class says; made by `connection_class`."""

    def wait(self, gen: PQGen[_R], interval: float = _INTERVAL, timeout: float | None = None) -> _R:
        if timeout is not None:
            return super().wait(gen, interval, timeout)
        try:
            return super().wait(gen, interval, self.longest)
        except _WaitTimeout:
            raise _give_up(self) from None

    def notifies(self, *, timeout: float | None = None, stop_after: int | None = None) -> Generator[psycopg.Notify]:
        raise NotImplementedError("a connection that waits for nothing long can't listen")


class AsyncTimeoutConnection(psycopg.AsyncConnection[Any], _Timeouts):
    """The same for asyncio; made by `async_connection_class`. Listening has no bound: it waits for others."""

    _listens = False

    async def wait(self, gen: PQGen[_R], interval: float = _INTERVAL, timeout: float | None = None) -> _R:
        if timeout is not None or self._listens:
            return await super().wait(gen, interval, timeout)
        try:
            return await super().wait(gen, interval, self.longest)
        except _WaitTimeout:
            raise _give_up(self) from None

    async def notifies(
        self, *, timeout: float | None = None, stop_after: int | None = None
    ) -> AsyncGenerator[psycopg.Notify]:
        self._listens = True
        try:
            async for notify in super().notifies(timeout=timeout, stop_after=stop_after):
                yield notify
        finally:
            self._listens = False


def _give_up(connection: TimeoutConnection | AsyncTimeoutConnection) -> psycopg.OperationalError:
    connection.pgconn.finish()
    type(connection).given_up()
    metrics.connection_given_up()
    _log.warning("the database did not answer, and its connection was closed", seconds=connection.longest)
    return psycopg.OperationalError(f"the database did not answer within {connection.longest} s")


def _nobody() -> None:
    """Nobody is told."""


def _timeouts(policy: TimeoutPolicy, given_up: Callable[[], None]) -> dict[str, Any]:
    longest = policy.statement + MARGIN if policy.statement else None
    return {"longest": longest, "given_up": staticmethod(given_up)}


def connection_class(policy: TimeoutPolicy, given_up: Callable[[], None] = _nobody) -> type[TimeoutConnection]:
    """The class of connections for this policy; `given_up` is called for each that was given up."""
    return type("TimeoutConnection", (TimeoutConnection,), _timeouts(policy, given_up))


def async_connection_class(policy: TimeoutPolicy) -> type[AsyncTimeoutConnection]:
    """The class of connections of asyncio for this policy."""
    return type("AsyncTimeoutConnection", (AsyncTimeoutConnection,), _timeouts(policy, _nobody))


def bind(engine: Engine, policy: TimeoutPolicy, circuit: Circuit) -> None:
    """From now on the engine's connections are bounded by the policy, and made when the circuit lets them.

    Engines to one database share a circuit.
    """
    make = maker(policy, circuit)

    def connect(dialect: object, record: object, arguments: list[Any], named: dict[str, Any]) -> TimeoutConnection:
        return make(*arguments, **named)

    event.listen(engine, "do_connect", connect)


def maker(policy: TimeoutPolicy, circuit: Circuit) -> Callable[..., TimeoutConnection]:
    """Makes connections that are bounded by the policy, as psycopg's `connect` does, when the circuit lets them."""
    made = connection_class(policy, circuit.failed)

    def connect(*arguments: Any, **named: Any) -> TimeoutConnection:
        with circuit.trying():
            return made.connect(*arguments, **named)

    return connect
