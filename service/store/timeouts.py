"""Connections to Postgres that never wait without end, even if the server is stopped or unreachable.

The server's own time-outs (`service.store.connecting`) end what takes too long while the server runs. A stopped server,
or a network that drops everything, reports nothing, so the client has to give up. All waiting of psycopg, for a
statement, a commit or a ping of the pool, goes through one method, which has the time-out. It is longer than that of
the server, whose error says more. A connection that was given up is closed, because nobody knows the fate of its
statement; the caller gets `psycopg.OperationalError`, as if the server had ended.

If the database is away, every thread would wait for it anew. So a `Circuit` lets one of them try after a pause, and
refuses the others at once.
"""

from __future__ import annotations

import threading
import time
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Self, TypeVar

import psycopg
import structlog
from psycopg.abc import PQGen
from psycopg.errors import _WaitTimeout
from sqlalchemy import Engine, event

from service import metrics
from service.store import promotions
from service.store.connecting import TimeoutPolicy

MARGIN = 1.5
"""Seconds that the client waits longer than the server's own statement time-out."""

PAUSE = 1.0
"""Seconds before a database that was found away is tried again."""

_INTERVAL = 0.1

_R = TypeVar("_R")

_log = structlog.get_logger(__name__)


class Circuit:
    """A circuit breaker that the threads of a process share for one database.

    Args:
        pause: seconds between two tries while the database is away.
        clock: returns seconds that never go back.
    """

    def __init__(self, pause: float = PAUSE, clock: Callable[[], float] = time.monotonic) -> None:
        self._pause = pause
        self._clock = clock
        self._lock = threading.Lock()
        self._next_try: float | None = None
        self._cause: psycopg.Error | None = None

    @contextmanager
    def trying(self) -> Iterator[None]:
        """Guard the opening of a connection.

        Raises:
            psycopg.OperationalError: the database was away a moment ago, and either it is too early to try again, or
                somebody is trying already.
        """
        with self._lock:
            if self._next_try is not None:
                if self._clock() < self._next_try:
                    raise psycopg.OperationalError("the database was found away a moment ago") from self._cause
                self._next_try = float("inf")  # until this try has ended
        try:
            yield
        except BaseException as error:
            self._cause = psycopg.OperationalError(str(error))  # a copy without the traceback and what it holds
            self.failed()
            raise
        with self._lock:
            self._next_try = None

    def failed(self) -> None:
        """Record that the database did not answer."""
        with self._lock:
            self._next_try = self._clock() + self._pause


class _Timeouts:
    """The settings of a class of connections: its longest wait in seconds (None for no limit), and a callback."""

    longest: ClassVar[float | None]
    given_up: ClassVar[Callable[[], None]]


class TimeoutConnection(psycopg.Connection[Any], _Timeouts):
    """A connection whose waits are limited by its class; created by `connection_class`."""

    @classmethod
    def connect(cls, conninfo: str = "", **given: Any) -> Self:
        """Open a connection, and look whether another server has become the primary."""
        connection = super().connect(conninfo, **given)
        try:
            connection.wait(promotions.look(connection), timeout=promotions.WITHIN)
        except BaseException as error:
            connection.close()
            if isinstance(error, _WaitTimeout):
                raise promotions.silent() from None
            raise
        return connection

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
    """An asyncio connection whose waits are limited; created by `async_connection_class`.

    Listening is not limited, because it waits for others.
    """

    _listens = False

    @classmethod
    async def connect(cls, conninfo: str = "", **given: Any) -> Self:
        """Open a connection, and look whether another server has become the primary."""
        connection = await super().connect(conninfo, **given)
        try:
            await connection.wait(promotions.look(connection), timeout=promotions.WITHIN)
        except BaseException as error:
            await connection.close()
            if isinstance(error, _WaitTimeout):
                raise promotions.silent() from None
            raise
        return connection

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
    """Do nothing when a connection is given up."""


def _timeouts(policy: TimeoutPolicy, given_up: Callable[[], None]) -> dict[str, Any]:
    longest = policy.statement + MARGIN if policy.statement else None
    return {"longest": longest, "given_up": staticmethod(given_up)}


def connection_class(policy: TimeoutPolicy, given_up: Callable[[], None] = _nobody) -> type[TimeoutConnection]:
    """Return a class of connections with these time-outs; `given_up` is called for each connection that is given up."""
    return type("TimeoutConnection", (TimeoutConnection,), _timeouts(policy, given_up))


class ListeningConnection(TimeoutConnection):
    """A connection that may also wait long for notifications; created by `listening_class`."""

    def notifies(self, *, timeout: float | None = None, stop_after: int | None = None) -> Generator[psycopg.Notify]:
        return psycopg.Connection.notifies(self, timeout=timeout, stop_after=stop_after)


def listening_class(policy: TimeoutPolicy) -> type[ListeningConnection]:
    """Return a class of connections with these time-outs, which may listen."""
    return type("ListeningConnection", (ListeningConnection,), _timeouts(policy, _nobody))


def async_connection_class(policy: TimeoutPolicy) -> type[AsyncTimeoutConnection]:
    """Return a class of asyncio connections with these time-outs."""
    return type("AsyncTimeoutConnection", (AsyncTimeoutConnection,), _timeouts(policy, _nobody))


def bind(engine: Engine, policy: TimeoutPolicy, circuit: Circuit) -> None:
    """Make the engine's connections obey these time-outs and the circuit breaker.

    Engines of one database share a circuit.
    """
    make = maker(policy, circuit)

    def connect(dialect: object, record: object, arguments: list[Any], named: dict[str, Any]) -> TimeoutConnection:
        return make(*arguments, **named)

    event.listen(engine, "do_connect", connect)


def maker(policy: TimeoutPolicy, circuit: Circuit) -> Callable[..., TimeoutConnection]:
    """Return a function like psycopg's `connect` whose connections obey these time-outs and the circuit breaker."""
    made = connection_class(policy, circuit.failed)

    def connect(*arguments: Any, **named: Any) -> TimeoutConnection:
        with circuit.trying():
            return made.connect(*arguments, **named)

    return connect
