"""A worker in a process of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from service.jobs.worker_context import WorkerContext
from tests.support.mail import relay as relays
from tests.support.world import KEYS

PATIENCE = 60.0
"""Seconds for what a quiet machine does at once."""


@contextmanager
def a_worker(
    context: WorkerContext, relay: relays.Relay, log: Path, *, told: str = ""
) -> Iterator[subprocess.Popen[bytes]]:
    """A worker as `novaluna worker` starts it, that is gone when the block ends.

    What it says goes into `log`; `told` are further arguments of `service.jobs.worker.run`, as they are written.
    """
    environment = os.environ | {
        "DATABASE_URL": context.settings.database_url,
        "NOVALUNA_SECRET_KEY": KEYS[0],
        "NOVALUNA_SMTP_URL": f"smtp://127.0.0.1:{relay.port}",
    }
    run = (
        "import os; from service.config import Settings; from service.jobs.heartbeat import Heartbeat;"
        f"from service.jobs.worker import run; run(Settings.from_environ(os.environ), {told})"
    )
    with log.open("wb") as output:
        process = subprocess.Popen([sys.executable, "-c", run], env=environment, stdout=output, stderr=output)
    try:
        yield process
    finally:
        process.kill()
        process.wait(PATIENCE)


def lines(log: Path) -> list[dict[str, Any]]:
    """What it has said so far."""
    return [json.loads(line) for line in log.read_text().splitlines(keepends=True) if line.endswith("\n")]
