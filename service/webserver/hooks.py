"""Hooks for gunicorn's arbiter and its workers; `service.gunicorn_conf` names them.

This is read before the worker makes the standard library gevent's (`service.webserver.worker`), so what it imports must hold no
lock and open nothing.
"""

import os
import signal
from collections.abc import Callable
from typing import Protocol

from service.local.child import die_with_parent
from service.local.liveness import LivenessReporter


class Arbiter(Protocol):
    """What is used of gunicorn's arbiter."""

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
