"""The faults: each strikes a service while games are played, and is over when its function returns."""

import os
import re
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from email.utils import parsedate_to_datetime
from functools import partial
from typing import NamedTuple

import psycopg

from service.jobs.worker import CONCURRENCY
from tests.drills import database_proxy, hanging_relay
from tests.drills.fault_rig import FaultRig
from tests.drills.stepped_clock import HOUR
from tests.support.running import eventually

ANSWERED = 12.0
"""Seconds within which each request is answered on a busy machine, with 503 if need be."""

STOPPED = 20.0
"""Seconds for which processes are stopped with SIGSTOP."""

ABSENCE = 6.0
"""Seconds without a database: more than the time-out of a connection."""

GIVEN_UP = 180.0
"""Seconds after which a worker has given up a mail that a relay hangs on.

It waits for two minutes if the relay has the content.
"""

AT_ONCE = CONCURRENCY
"""Mails that a worker sends at once; those that it was sending when it was killed may be sent twice."""


class Fault(NamedTuple):
    """A fault, the seconds within which each request must be answered, and how many mails may be sent twice.

    If the web server `starts` again, its socket stays open meanwhile, and requests wait in it, so none is refused.
    """

    name: str
    strike: Callable[[FaultRig], None]
    answered: float = ANSWERED
    doubles: int = 0
    starts: bool = False

    def bound(self, rig: FaultRig) -> float:
        """Return the seconds after which a request counts as not answered."""
        return self.answered + (3 * rig.service.starting if self.starts else 0.0)


def kill(rig: FaultRig, part: str, which: int) -> None:
    """Kill one of the processes whose command line has this part; it may have ended by itself just before."""

    def is_killed() -> bool:
        try:
            os.kill(rig.service.running.pids(part)[which], signal.SIGKILL)
        except (IndexError, ProcessLookupError):
            return False
        return True

    eventually(is_killed)


def kill_supervisor(rig: FaultRig) -> None:
    """Kill the supervisor, which ends all other processes, and start it again."""
    rig.service.running.process.kill()
    rig.service.running.process.wait()
    rig.service.restart()


def stop(rig: FaultRig, parts: tuple[str, ...], which: slice) -> None:
    """Suspend some processes for a while."""
    stopped = [pid for part in parts for pid in rig.service.running.pids(part)[which]]
    assert stopped
    try:
        for pid in stopped:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
        time.sleep(STOPPED)
    finally:
        for pid in stopped:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def fill_disk(rig: FaultRig, log_too: bool) -> None:
    """Fill the disk of Postgres until requests are refused because of it."""
    assert rig.disk is not None
    ballast = rig.disk / "ballast"
    refused = rig.service.api.statuses[503]
    try:
        with ballast.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(bytes(1 << 16))
        if log_too:
            with suppress(psycopg.Error), rig.service.database() as connection:
                while True:
                    connection.execute("SELECT pg_switch_wal(), pg_logical_emit_message(false, 'drill', 'more')")
        eventually(lambda: rig.service.api.statuses[503] >= refused + 20, 60)
    finally:
        ballast.unlink()


def cut(rig: FaultRig, what: re.Pattern[bytes], when: str, count: int) -> None:
    """Cut the connections to Postgres that commit the next writes."""
    assert rig.proxy is not None
    rig.proxy.cut(what, when, count)
    eventually(lambda: rig.proxy is not None and rig.proxy.left == 0, 60)


def part(rig: FaultRig) -> None:
    """Cut all connections to Postgres, and accept no new ones for a while."""
    assert rig.proxy is not None
    rig.proxy.part()
    time.sleep(ABSENCE)
    rig.proxy.mend()


def hang(rig: FaultRig, at: str) -> None:
    """Make the mail relay hang until the worker has given up a mail for now."""
    assert rig.relay is not None
    rig.relay.hangs_at = at
    query = "SELECT count(*) > 0 FROM procrastinate_jobs WHERE status = 'todo' AND attempts > 0"
    try:
        with rig.service.database() as connection:
            eventually(lambda: connection.execute(query).fetchone() == (True,), GIVEN_UP, every=0.5)
    finally:
        rig.relay.hangs_at = None


def step_clock(rig: FaultRig, seconds: int, of_postgres: bool) -> None:
    """Step the clock of all processes, with or without Postgres, and after a while step it back."""
    assert rig.clocks is not None
    stepped = rig.clocks if of_postgres else rig.clocks[1:]
    for to in (seconds, 0):
        for clock in stepped:
            clock.step(to)
        eventually(partial(_shows, rig, to, of_postgres))
        rig.clients.await_laps(1)


def _shows(rig: FaultRig, step: int, of_postgres: bool) -> bool:
    """Return whether the web server's clock, and with `of_postgres` the database's, is `ahead` seconds fast."""
    shown = [parsedate_to_datetime(rig.service.api.send("GET", "/healthz").headers["Date"]).timestamp()]
    if of_postgres:
        with rig.service.database() as connection:
            [(now,)] = connection.execute("SELECT extract(epoch FROM clock_timestamp())::float8").fetchall()
            shown.append(now)
    return all(abs(clock - time.time() - step) < HOUR / 4 for clock in shown)


POSTGRES = ("bin/postgres -D", "postgres: ")
"""The command lines of all Postgres processes, the parent first, so that it starts no others."""

ALONE: dict[Fault, int] = {
    Fault("kill -9 of Postgres", partial(kill, part="bin/postgres -D", which=0), doubles=AT_ONCE): 8,
    Fault("kill -9 of a process of Postgres", partial(kill, part="postgres: novaluna", which=-1), doubles=AT_ONCE): 7,
    Fault("kill -9 of the web server", partial(kill, part="gunicorn", which=0), starts=True): 6,
    Fault("kill -9 of a web process", partial(kill, part="gunicorn", which=-1)): 8,
    Fault("kill -9 of the worker", partial(kill, part="service.cli worker", which=-1), doubles=AT_ONCE): 5,
    Fault("kill -9 of the supervisor", kill_supervisor, doubles=AT_ONCE, starts=True): 8,
    Fault("SIGSTOP of Postgres", partial(stop, parts=POSTGRES, which=slice(None)), doubles=AT_ONCE): 4,
    Fault("SIGSTOP of a web process", partial(stop, parts=("gunicorn",), which=slice(-1, None)), STOPPED + ANSWERED): 3,
    Fault("SIGSTOP of the worker", partial(stop, parts=("service.cli worker",), which=slice(None)), doubles=AT_ONCE): 2,
}
"""The faults of a service that `novaluna up` runs, and how often each is tried."""

SMALL_DISK: dict[Fault, int] = {
    Fault("disk full", partial(fill_disk, log_too=False), doubles=AT_ONCE): 5,
    Fault("disk full, and no room for the write-ahead log", partial(fill_disk, log_too=True), doubles=AT_ONCE): 3,
}

WIRED: dict[Fault, int] = {
    Fault("cut before a commit", partial(cut, what=database_proxy.MOVES, when=database_proxy.BEFORE, count=5)): 7,
    Fault("cut after a commit", partial(cut, what=database_proxy.MOVES, when=database_proxy.AFTER, count=5)): 8,
    Fault(
        "cut before the worker's commit",
        partial(cut, what=database_proxy.FINISHES, when=database_proxy.BEFORE, count=1),
        doubles=1,
    ): 2,
    Fault(
        "cut after the worker's commit",
        partial(cut, what=database_proxy.FINISHES, when=database_proxy.AFTER, count=1),
        doubles=1,
    ): 2,
    Fault("kill -9 of a worker with a relay", partial(kill, part="novaluna worker", which=-1), doubles=AT_ONCE): 4,
    Fault(
        "SIGSTOP of a worker with a relay",
        partial(stop, parts=("novaluna worker",), which=slice(None)),
        doubles=AT_ONCE,
    ): 2,
    Fault("no way to Postgres", part, doubles=AT_ONCE): 3,
    Fault("a relay that doesn't greet", partial(hang, at=hanging_relay.GREETING)): 2,
    Fault("a relay that hangs before it takes a mail", partial(hang, at=hanging_relay.DATA)): 2,
    Fault("a relay that hangs when it has taken a mail", partial(hang, at=hanging_relay.TAKEN)): 2,
}

CLOCK: dict[Fault, int] = {
    Fault("the clock an hour forward", partial(step_clock, seconds=HOUR, of_postgres=True), doubles=AT_ONCE): 2,
    Fault("the clock an hour back", partial(step_clock, seconds=-HOUR, of_postgres=True), doubles=AT_ONCE): 2,
    Fault("the clock an hour before Postgres'", partial(step_clock, seconds=HOUR, of_postgres=False)): 2,
    Fault("the clock an hour after Postgres'", partial(step_clock, seconds=-HOUR, of_postgres=False)): 1,
}
