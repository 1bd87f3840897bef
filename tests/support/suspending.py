"""Suspend processes, but not for longer than the test run lasts.

A suspended process cannot notice that its parent is gone. If the run is killed, nobody would resume it, and it would
stay forever.
"""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

_RESUME_AT_END = 'pids=; while read -r pid; do pids="$pids $pid"; done; kill -CONT $pids 2>/dev/null'


def suspend(*pids: int) -> None:
    """Suspend these processes until they are resumed or killed, or this process ends."""
    guard = _guard()
    assert guard.stdin is not None
    guard.stdin.write("".join(f"{pid}\n" for pid in pids))
    guard.stdin.flush()
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)


def resume(*pids: int) -> None:
    """Let suspended processes go on."""
    for pid in pids:
        os.kill(pid, signal.SIGCONT)


@contextmanager
def suspended(*pids: int) -> Iterator[None]:
    """Suspend these processes during the block."""
    suspend(*pids)
    try:
        yield
    finally:
        resume(*pids)


@cache
def _guard() -> subprocess.Popen[str]:
    """Start the process that resumes all suspended ones as soon as this process ends, however it ends."""
    return subprocess.Popen(["sh", "-c", _RESUME_AT_END], stdin=subprocess.PIPE, text=True, start_new_session=True)
