"""A rendering process yields the processor, even during a library call, and nothing notices."""

import ctypes
import os
import resource
import signal
import subprocess
import sys
from hashlib import pbkdf2_hmac
from pathlib import Path

import pytest

from service.pictures.priority import EVERY, be_nice, yielding_processor

ROUNDS = 200_000
"""The rounds of a function that does not let Python run meanwhile: some hundredths of a second."""


def _work() -> bytes:
    return pbkdf2_hmac("sha256", b"a", b"b", ROUNDS)


EXPECTED = _work()


def _caught() -> bool:
    """Return whether this process has a handler for the signal, as the kernel knows it."""
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("SigCgt:"))
    return bool(int(line.split()[1], 16) >> signal.SIGALRM - 1 & 1)


@pytest.mark.slow
def test_nice_process_yields_within_a_call_and_goes_on() -> None:
    """If another process wants the same processor, each yield is a context switch that the kernel counts."""
    before = os.sched_getaffinity(0)
    only = {min(before)}
    os.sched_setaffinity(0, only)
    try:
        with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as other:  # it runs on the same processor
            try:
                switches = [_switches(stands_back) for stands_back in (False, True)]
            finally:
                other.kill()
    finally:
        os.sched_setaffinity(0, before)
    assert switches[1] > 2 * switches[0], switches


def _switches(stands_back: bool) -> int:
    begun = resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw
    if stands_back:
        with yielding_processor():
            assert _work() == EXPECTED
    else:
        assert _work() == EXPECTED
    return resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw - begun


def test_a_handler_of_before_and_no_timer_are_left_behind() -> None:
    called = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: called.append(number))
    try:
        with pytest.raises(ZeroDivisionError), yielding_processor():
            assert signal.getitimer(signal.ITIMER_REAL)[1] == pytest.approx(EVERY, abs=1e-5)
            assert _caught()
            1 / 0  # noqa: B018
        assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
        assert called == []
        signal.raise_signal(signal.SIGALRM)
        assert called == [signal.SIGALRM]
    finally:
        signal.signal(signal.SIGALRM, before)


def test_reading_and_writing_are_not_cut_short() -> None:
    """A wait in the C library is restarted (SA_RESTART), and does not end with EINTR."""
    c = ctypes.CDLL(None, use_errno=True)
    reading, writing = os.pipe()
    given = ctypes.create_string_buffer(1)
    command = f"import os; os.write({writing}, b'x')"  # starting takes as long as a hundred signals
    try:
        with yielding_processor(), subprocess.Popen([sys.executable, "-c", command], pass_fds=(writing,)):
            assert c.read(reading, given, 1) == 1, os.strerror(ctypes.get_errno())
    finally:
        os.close(reading)
        os.close(writing)
    assert given.raw == b"x"


def test_a_process_in_the_session_of_another_is_nice_within_it_only() -> None:
    """Only a session of its own gets the niceness, because other members of a session were not asked."""
    group = Path("/proc/self/autogroup")
    if not group.exists():
        pytest.skip("this kernel does not share its processors out by session")
    before = group.read_text()
    command = f"from {be_nice.__module__} import be_nice; be_nice(7); import os; print(os.nice(0))"
    done = subprocess.run([sys.executable, "-c", command], stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout == "7\n"
    assert group.read_text() == before
