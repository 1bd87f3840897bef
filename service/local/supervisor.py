"""Run Postgres, the migrations, and then the processes of the service side by side until a stop is requested."""

import http.client
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import partial

from service.local.child import spawn
from service.local.errors import LocalError
from service.local.liveness import NOTIFY_SOCKET, LivenessMonitor, LivenessReporter
from service.local.postgres import Postgres
from service.local.restarts import RestartedChild
from service.local.signals import SignalWaiter, StopRequested

# Time to stop everything, and the share of the processes other than Postgres, which is stopped after them.
_STOP_SECONDS = 9.5
_PARTS_STOP_SECONDS = 5.0
_PROBE_SECONDS = 1.0
_PROBE_EVERY = 0.1
# Seconds after which the operator is told what the start is waiting for.
_NOTICE_SECONDS = 20.0
# A process that ends so often before everything was ready once would do so forever. Afterwards nothing is given up.
_MOST_FAILURES = 5

LOOPBACK = "127.0.0.1"

Say = Callable[[str], None]


@dataclass(frozen=True)
class Command:
    """A command that starts one process of the service.

    Attributes:
        name: the name in messages.
        argv: the program and its arguments.
        pass_fds: the file descriptors that it inherits.
        environment: variables for this command alone, beside those of the plan.
    """

    name: str
    argv: Sequence[str]
    pass_fds: tuple[int, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Plan:
    """The processes to run.

    Attributes:
        postgres: the embedded Postgres; None: the database is elsewhere.
        migrate: runs to completion before the others start.
        parts: are kept running until the end.
        environment: the environment variables for all commands.
        listener: the socket that the web server serves, which is ready when ``GET /readyz`` answers 200. It is bound
            here and inherited, so that the port stays taken while the web server is restarted.
    """

    postgres: Postgres | None
    migrate: Command
    parts: Sequence[Command]
    environment: Mapping[str, str]
    listener: socket.socket


def listen(port: int, option: str = "--port", host: str = LOOPBACK) -> socket.socket:
    """Return a socket that listens at an address of this machine.

    Args:
        port: the port; 0: any free one.
        option: the command-line option for another port, for the error message.
        host: the address.

    Raises:
        LocalError: the port is in use, or not permitted.
    """
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(2048)
    except OSError as error:
        listener.close()
        raise LocalError(f"Port {port} can't be used: {error.strerror}. Take another one with {option}.") from None
    return listener


def supervise(plan: Plan, ready: Callable[[], None], say: Say) -> None:
    """Run the plan until SIGINT, SIGTERM or SIGHUP, then stop all its processes, Postgres last.

    A process that ends is restarted, whatever its exit code, and one that stops reporting that it is alive is killed.
    When the supervisor itself is killed, the kernel ends its children.

    Args:
        ready: called once, when everything answers.
        say: called with each message for the operator: processes that end, and what the start is waiting for.

    Raises:
        LocalError: Postgres, the migrations or a process failed before everything was ready.
    """
    with ExitStack() as stack:
        parts = []
        for part in plan.parts:
            monitor = stack.enter_context(closing(LivenessMonitor()))
            parts.append(RestartedChild(part.name, partial(_spawn, plan, part, monitor.address), say, monitor=monitor))
        children = list(parts)
        waiter = stack.enter_context(SignalWaiter())
        try:
            if plan.postgres is not None:
                plan.postgres.start(waiter.sleep)
                children.insert(0, RestartedChild("Postgres", plan.postgres.launch, say, plan.postgres.process))
            _migrate(plan, waiter)
            _run(children, _ReadinessProbe(plan.listener, ready, say), waiter)
        except StopRequested:
            say("Stopping.")
        finally:
            _stop(parts, plan.postgres)


def _run(children: Sequence[RestartedChild], readiness: "_ReadinessProbe", waiter: SignalWaiter) -> None:
    reporter = LivenessReporter()
    while True:
        waits = [part.check() for part in children]
        reporter.report()
        if not readiness.reached and (failed := [part.name for part in children if part.failures >= _MOST_FAILURES]):
            raise LocalError(f"{failed[0]} ends again and again; why stands above.")
        waits.append(readiness.probe())
        waiter.pause(min((wait for wait in waits if wait is not None), default=None))


def _migrate(plan: Plan, waiter: SignalWaiter) -> None:
    process = _spawn(plan, plan.migrate)
    try:
        while process.poll() is None:
            waiter.pause(None)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    if process.returncode != 0:
        raise LocalError(f"{plan.migrate.name} failed; why stands above.")


def _spawn(plan: Plan, command: Command, notify_socket: str | None = None) -> subprocess.Popen[bytes]:
    # Only the supervisor writes to standard output: the lines that say it is ready.
    return spawn(
        command.argv,
        env={**plan.environment, **command.environment, **({NOTIFY_SOCKET: notify_socket} if notify_socket else {})},
        last_signal=signal.SIGKILL,
        stdout=2,
        pass_fds=command.pass_fds,
    )


def _stop(parts: Sequence[RestartedChild], postgres: Postgres | None) -> None:
    for part in parts:
        part.terminate()
    began = time.monotonic()
    for part in parts:
        part.wait_until(began + _PARTS_STOP_SECONDS)
    if postgres is not None:
        postgres.stop(began + _STOP_SECONDS - time.monotonic())


class _ReadinessProbe:
    """A probe that requests ``/readyz`` until it first answers 200, which sets ``reached``."""

    def __init__(self, listener: socket.socket, ready: Callable[[], None], say: Say) -> None:
        self._host, self._port = listener.getsockname()
        self._ready = ready
        self._say = say
        self._notice_at = time.monotonic() + _NOTICE_SECONDS
        self.reached = False

    def probe(self) -> float | None:
        """Send one request; return the seconds until the next one, or None when no more are needed."""
        if self.reached:
            return None
        status, answer = self._ask()
        if status == http.HTTPStatus.OK:
            self.reached = True
            self._ready()
            return None
        if time.monotonic() > self._notice_at:
            self._notice_at += _NOTICE_SECONDS
            self._say(f"Not ready yet: {answer}")
        return _PROBE_EVERY

    def _ask(self) -> tuple[int, str]:
        connection = http.client.HTTPConnection(self._host, self._port, timeout=_PROBE_SECONDS)
        try:
            connection.request("GET", "/readyz")
            response = connection.getresponse()
            return response.status, response.read(2000).decode(errors="replace").strip()
        except (OSError, http.client.HTTPException) as error:
            return 0, f"the web server doesn't answer ({error})"
        finally:
            connection.close()
