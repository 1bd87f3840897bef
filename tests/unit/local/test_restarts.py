"""A child process that is restarted: at once if it ran long enough, otherwise after growing delays."""

import subprocess
import time

from service.local.errors import StillRunning
from service.local.restarts import RestartedChild


def ended(*argv: str) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(argv, start_new_session=True)
    process.wait()
    return process


def test_one_that_ends_at_once_is_started_later_and_later() -> None:
    said: list[str] = []
    part = RestartedChild("The part", lambda: ended("false"), said.append)
    while part.failures < 3:
        part.check()
    assert said == [f"The part ended (exit code 1); starting it again in {wait} s." for wait in ("0.25", "0.5", "1")]


def test_an_exit_code_of_0_is_an_end_too() -> None:
    said: list[str] = []
    part = RestartedChild("The part", lambda: ended("true"), said.append)
    part.check()
    assert part.check() is not None
    assert said == ["The part ended (exit code 0); starting it again in 0.25 s."]


def test_while_the_former_one_is_still_there_it_waits_quietly() -> None:
    said: list[str] = []
    former = iter([True, True])

    def start() -> subprocess.Popen[bytes]:
        if next(former, False):
            raise StillRunning("not yet")
        return ended("true")

    part = RestartedChild("The part", start, said.append)
    while part.check() is not None:
        pass
    assert said == []
    assert part.failures == 0


def test_one_that_does_not_stop_in_time_is_killed_with_its_children() -> None:
    said: list[str] = []
    stubborn = ["sh", "-c", "trap '' TERM; sh -c 'trap \"\" TERM; echo ready; sleep 60'; sleep 60"]
    process = subprocess.Popen(stubborn, start_new_session=True, stdout=subprocess.PIPE)
    part = RestartedChild("The part", lambda: process, said.append)
    part.check()
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    part.terminate()
    part.wait_until(time.monotonic())
    assert process.returncode == -9
    assert process.stdout.read() == b""  # the last process that could write to it is gone
    process.stdout.close()
    assert said == ["The part did not stop in time and is killed."]
