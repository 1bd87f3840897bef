"""Signs of life: how they are sent and received, and what happens to a process that sends none."""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from service.local import liveness
from service.local.liveness import INTERVAL, NOTIFY_SOCKET, LivenessMonitor, LivenessReporter
from service.local.restarts import RestartedChild
from tests.support.running import eventually

GIVING = """
import asyncio, sys
from service.local import liveness
liveness.TIMEOUT, liveness.INTERVAL = 1.0, 0.1
async def run():
    liveness.LivenessReporter().report_from(asyncio.get_running_loop())
    await asyncio.sleep(0.5)
    print("runs", flush=True)
    while sys.argv[1] == "computing": pass
    await asyncio.sleep(600)
asyncio.run(run())
"""


@pytest.fixture
def monitor(monkeypatch: pytest.MonkeyPatch) -> Iterator[LivenessMonitor]:
    """Yield a monitor with short time-outs."""
    monkeypatch.setattr(liveness, "TIMEOUT", 1.0)
    monkeypatch.setattr(liveness, "START_TIMEOUT", 30.0)
    with closing(LivenessMonitor()) as monitor:
        yield monitor


def start(monitor: LivenessMonitor, how: str = "waiting") -> subprocess.Popen[bytes]:
    """Start a process that sends signs of life until it computes without end."""
    argv = [sys.executable, "-c", GIVING, how]
    environ = {NOTIFY_SOCKET: monitor.address, "PATH": os.environ["PATH"]}
    process = subprocess.Popen(argv, env=environ, stdout=subprocess.PIPE, start_new_session=True)
    assert process.stdout is not None
    with process.stdout:
        assert process.stdout.readline() == b"runs\n"
    return process


def test_a_process_that_is_stopped_is_killed_and_started_again(monitor: LivenessMonitor) -> None:
    said: list[str] = []
    started: list[subprocess.Popen[bytes]] = []

    def begin() -> subprocess.Popen[bytes]:
        started.append(start(monitor))
        return started[-1]

    part = RestartedChild("The part", begin, said.append, monitor=monitor)
    part.check()
    until = time.monotonic() + 1.5  # longer than it may be silent
    while time.monotonic() < until:
        assert select.select([monitor._socket], [], [], 30)[0], "the next report comes"
        assert part.check() == INTERVAL
    assert said == []
    os.kill(started[0].pid, signal.SIGSTOP)
    eventually(lambda: part.check() is not None and len(started) == 2)
    assert started[0].returncode == -signal.SIGKILL
    assert said[0] == "The part gave no sign of life for 1 s and is killed."
    part.terminate()
    part.wait_until(time.monotonic() + 30)


@pytest.mark.slow
def test_a_loop_that_does_not_turn_ends_its_process_unwatched(monitor: LivenessMonitor) -> None:
    assert start(monitor, "computing").wait(60) == 70


def test_one_that_only_waits_goes_on(monitor: LivenessMonitor) -> None:
    process = start(monitor)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(1.5)
    process.kill()
    process.wait()


def test_a_start_may_be_long_and_gaps_of_the_watcher_do_not_count(
    monitor: LivenessMonitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(liveness, "TIMEOUT", 10.0)
    monitor.reset()
    for _ in range(29):
        now[0] += 1
        assert monitor.silence() is None  # it has given none yet
    monkeypatch.setenv(NOTIFY_SOCKET, monitor.address)
    reporter = LivenessReporter()
    reporter.report()
    assert monitor.silence() is None
    now[0] += 3600  # the machine was suspended
    assert monitor.silence() is None
    for _ in range(7):
        now[0] += 1
        assert monitor.silence() is None
    now[0] += 1
    assert monitor.silence() == 10


def test_signs_that_nobody_hears_are_given_without_waiting(
    monitor: LivenessMonitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NOTIFY_SOCKET, monitor.address)
    reporter = LivenessReporter()
    for _ in range(1000):
        reporter.report()
    monitor.close()
    reporter.report()
    monkeypatch.delenv(NOTIFY_SOCKET)
    LivenessReporter().report()


def test_the_folder_of_the_signs_is_closed_to_others_and_removed() -> None:
    monitor = LivenessMonitor()
    folder = Path(monitor.address).parent
    assert folder.stat().st_mode & 0o777 == 0o700
    monitor.close()
    assert not folder.exists()
