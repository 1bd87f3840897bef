"""How a process gives way to all others of its machine: what it makes can wait, and others answer somebody.

A niceness says how much of a processor a process gets, not when. Linux lets go of one at its next tick, 4 milliseconds
with 250 of them in a second: as long as some requests take in all. So a nice process has to stand back by itself.
"""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

EVERY = 0.0002
"""Seconds: how long another process waits at most. A picture takes a tenth longer by it; with five times as much the
slowest requests beside it take half as long again (`bench/beside.py`)."""

_AUTOGROUP = Path("/proc/self/autogroup")
_TRIES, _PAUSE = 10, 0.1


def be_nice(niceness: int) -> None:
    """Be so nice to all others. Where Linux shares its processors out by session (sched(7), autogroup), a niceness counts
    within a session only, and a process that has one of its own gives it the same."""
    os.nice(niceness)
    if os.getsid(0) != os.getpid():
        return
    for _ in range(_TRIES):
        try:
            _AUTOGROUP.write_text(str(niceness))
        except BlockingIOError:  # somebody else's was changed within the last tenth of a second
            time.sleep(_PAUSE)
        except OSError:  # there is no such thing here
            return
        else:
            return


@contextmanager
def yielding_processor() -> Iterator[None]:
    """Lets others have the processor every `EVERY` seconds, also in the midst of a call to a library.

    A handler in Python would be called when that call is over. So the handler is sched_yield(2) itself: it takes
    nothing, and what it is interrupted in goes on as if nothing had been (SA_RESTART, as signal(3) sets it).
    """
    c = ctypes.CDLL(None)
    c.signal.argtypes, c.signal.restype = (ctypes.c_int, ctypes.c_void_p), ctypes.c_void_p
    before = c.signal(signal.SIGALRM, ctypes.cast(c.sched_yield, ctypes.c_void_p))
    signal.setitimer(signal.ITIMER_REAL, EVERY, EVERY)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        c.signal(signal.SIGALRM, before)
