"""Runs Postgres, the migrations, and then the parts of the service side by side until somebody asks to stop."""

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
from service.local.liveness import VARIABLE, SignOfLife, Watch
from service.local.postgres import Postgres
from service.local.restarts import Kept
from service.local.signals import StopAsked, Waking

#: In which all is to be stopped, and of these for the parts: Postgres ends in order when they have, or are killed.
_STOP_SECONDS = 9.5
_PARTS_STOP_SECONDS = 5.0
_PROBE_SECONDS = 1.0
_PROBE_EVERY = 0.1
#: How long it may take to be ready before people are told what it is waiting for.
_PATIENCE = 20.0
#: A part that ends so often before all was ready for once will do so for ever. Later on nothing is given up.
_TRIES = 5

Say = Callable[[str], None]


@dataclass(frozen=True)
class Command:
    """A program of the service: how people call it, its arguments, the descriptors that it is given, and what it alone
    gets to see beside the environment of all."""

    name: str
    argv: Sequence[str]
    pass_fds: tuple[int, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Plan:
    """What is to run.

    Attributes:
        postgres: the Postgres to run; None: there is one elsewhere.
        migrate: run to its end before the others start.
        parts: kept running until the end.
        environment: all that these commands get to see.
        listener: the socket that the web part serves; it is ready when ``GET /readyz`` there answers 200. It is bound
            here and passed on, so that the port isn't free for a moment when that part is started again.
    """

    postgres: Postgres | None
    migrate: Command
    parts: Sequence[Command]
    environment: Mapping[str, str]
    listener: socket.socket


def listen(port: int, option: str = "--port") -> socket.socket:
    """A listening socket on this machine's own address (0: on any free port); `option` is how one asks for another.

    Raises:
        LocalError: the port is taken, or not to be had.
    """
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen(2048)
    except OSError as error:
        listener.close()
        raise LocalError(f"Port {port} can't be used: {error.strerror}. Take another one with {option}.") from None
    return listener


def supervise(plan: Plan, ready: Callable[[], None], say: Say) -> None:
    """Runs the plan until SIGINT, SIGTERM or SIGHUP, then stops all parts, Postgres last.

    A part that ends is started again, whatever its exit code, and one that gives no sign of life is killed. What this
    process leaves behind when it is killed itself, the kernel ends.

    Args:
        ready: called once, when everything answers.
        say: takes lines for people: parts that end, and what is being waited for.

    Raises:
        LocalError: Postgres, the migrations or a part failed before all was ready.
    """
    with ExitStack() as stack:
        parts = []
        for part in plan.parts:
            watch = stack.enter_context(closing(Watch()))
            parts.append(Kept(part.name, partial(_spawn, plan, part, watch.address), say, watch=watch))
        kept = list(parts)
        waking = stack.enter_context(Waking())
        try:
            if plan.postgres is not None:
                plan.postgres.start(waking.sleep)
                kept.insert(0, Kept("Postgres", plan.postgres.launch, say, plan.postgres.process))
            _migrate(plan, waking)
            _keep(kept, _Readiness(plan.listener, ready, say), waking)
        except StopAsked:
            say("Stopping.")
        finally:
            _stop(parts, plan.postgres)


def _keep(kept: Sequence[Kept], readiness: "_Readiness", waking: Waking) -> None:
    sign = SignOfLife()
    while True:
        waits = [part.tend() for part in kept]
        sign.give()
        if not readiness.reached and (failed := [part.name for part in kept if part.failures >= _TRIES]):
            raise LocalError(f"{failed[0]} ends again and again; why stands above.")
        waits.append(readiness.probe())
        waking.pause(min((wait for wait in waits if wait is not None), default=None))


def _migrate(plan: Plan, waking: Waking) -> None:
    process = _spawn(plan, plan.migrate)
    try:
        while process.poll() is None:
            waking.pause(None)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    if process.returncode != 0:
        raise LocalError(f"{plan.migrate.name} failed; why stands above.")


def _spawn(plan: Plan, command: Command, signs_to: str | None = None) -> subprocess.Popen[bytes]:
    # Standard output is the supervisor's own, for the one line that says it is ready.
    return spawn(
        command.argv,
        env={**plan.environment, **command.environment, **({VARIABLE: signs_to} if signs_to else {})},
        last_signal=signal.SIGKILL,
        stdout=2,
        pass_fds=command.pass_fds,
    )


def _stop(parts: Sequence[Kept], postgres: Postgres | None) -> None:
    for part in parts:
        part.ask_to_stop()
    began = time.monotonic()
    for part in parts:
        part.stopped_by(began + _PARTS_STOP_SECONDS)
    if postgres is not None:
        postgres.stop(began + _STOP_SECONDS - time.monotonic())


class _Readiness:
    """Asks ``/readyz`` until it answers 200 for the first time, which is when it is ``reached``."""

    def __init__(self, listener: socket.socket, ready: Callable[[], None], say: Say) -> None:
        self._host, self._port = listener.getsockname()
        self._ready = ready
        self._say = say
        self._patient_until = time.monotonic() + _PATIENCE
        self.reached = False

    def probe(self) -> float | None:
        """Asks once; says in how many seconds to ask again, None when there is no more need to."""
        if self.reached:
            return None
        status, answer = self._ask()
        if status == http.HTTPStatus.OK:
            self.reached = True
            self._ready()
            return None
        if time.monotonic() > self._patient_until:
            self._patient_until += _PATIENCE
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
