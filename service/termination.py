"""Let a command that a signal asks to end clean up what it has begun, as it does after Ctrl-C."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_ASKING = (signal.SIGTERM, signal.SIGHUP)


class _Terminated(SystemExit):
    """A signal has asked the program to end. It is a SystemExit, since asyncio lets that pass."""


@contextmanager
def cleaned_up_on_termination() -> Iterator[None]:
    """End a block by an exception where a signal would end the program at once, and the program after the block.

    What handles these signals itself during the block does so as ever. One that is ignored, as SIGHUP is under nohup,
    stays ignored.
    """
    if threading.current_thread() is not threading.main_thread():  # only that one can handle signals
        yield
        return
    former = {number: signal.getsignal(number) for number in _ASKING}
    heard = [number for number, handler in former.items() if handler == signal.SIG_DFL]

    def end(number: int, frame: FrameType | None) -> None:
        for each in heard:
            signal.signal(each, signal.SIG_IGN)  # so that nothing interrupts the clean-up
        raise _Terminated(number)

    for number in heard:
        signal.signal(number, end)
    try:
        yield
    except _Terminated as terminated:
        number = signal.Signals(int(str(terminated.code)))
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    finally:
        for number in heard:
            signal.signal(number, signal.SIG_DFL)
