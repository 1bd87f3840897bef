"""Hooks for gunicorn's arbiter and its workers; `service.gunicorn_conf` names them.

This module is loaded before gevent patches the standard library (`service.gunicorn_conf`), so nothing imported here may
hold a lock or open anything.
"""

import os
import signal
from collections.abc import Callable
from typing import Protocol

from service.local.child import die_with_parent
from service.local.liveness import LivenessReporter


class Arbiter(Protocol):
    """The parts of gunicorn's arbiter that are used here."""

    pid: int
    murder_workers: Callable[[], None]


def on_starting(server: Arbiter) -> None:
    """Report that the arbiter is alive from its loop, which checks every second for workers that hang."""
    reporter, look = LivenessReporter(), server.murder_workers

    def look_and_report() -> None:
        look()
        reporter.report()

    server.murder_workers = look_and_report


def post_fork(server: Arbiter, worker: object) -> None:
    """End a worker when its arbiter is killed, so that it takes no requests beside those of the next arbiter."""
    die_with_parent(signal.SIGKILL)
    if os.getppid() != server.pid:
        os._exit(1)
