"""Give rendering processes a lower priority than everything else on the machine.

A niceness sets the share of a processor that a process gets, not when. Linux takes the processor away at its next timer
tick, every 4 milliseconds at 250 Hz, which is as long as some requests take in total. So a nice process also has to
yield by itself.
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
"""Seconds between two yields, the longest that another process waits.

They make a picture take a tenth longer; at five times the value, the slowest requests beside it take half as long again
(`bench/beside.py`).
"""

_AUTOGROUP = Path("/proc/self/autogroup")
_TRIES, _PAUSE = 10, 0.1


def be_nice(niceness: int) -> None:
    """Set the niceness of this process and, if it leads a session, of the session.

    Where Linux shares processors between sessions (sched(7), autogroup), the niceness of a process counts only within
    its session.
    """
    os.nice(niceness)
    if os.getsid(0) != os.getpid():
        return
    for _ in range(_TRIES):
        try:
            _AUTOGROUP.write_text(str(niceness))
        except BlockingIOError:  # another one was changed within the last tenth of a second
            time.sleep(_PAUSE)
        except OSError:  # this kernel has no autogroup
            return
        else:
            return


@contextmanager
def yielding_processor() -> Iterator[None]:
    """Yield the processor every `EVERY` seconds during the block, even in the middle of a library call.

    A handler in Python would only run after that call. So the handler is sched_yield(2) itself: it needs no
    interpreter, and the interrupted call continues (SA_RESTART, as signal(3) sets it).
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
