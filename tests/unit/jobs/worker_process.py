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
"""Seconds to wait for what an idle machine does at once."""


@contextmanager
def a_worker(
    context: WorkerContext, relay: relays.Relay, log: Path, *, told: str = ""
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a worker during the block, as `novaluna worker` starts it.

    Its output goes into `log`; `told` is the source of further arguments of `service.jobs.worker.run`.
    """
    environment = os.environ | {
        "DATABASE_URL": context.settings.database_url,
        "NOVALUNA_SECRET_KEY": KEYS[0],
        "NOVALUNA_SMTP_URL": f"smtp://127.0.0.1:{relay.port}",
        "NOVALUNA_MAIL_PICTURES": "off",  # they are drawn when nothing else is to be done, so a busy machine waits long
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
    """Return the log lines of the worker so far."""
    return [json.loads(line) for line in log.read_text().splitlines(keepends=True) if line.endswith("\n")]
