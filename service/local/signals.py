"""Waiting that ends at once when a child ends or somebody asks to stop, and that no signal can slip past."""

import os
import select
import signal
import time
from types import FrameType, TracebackType
from typing import Self

_STOP = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP})


class StopAsked(BaseException):
    """Somebody wants the program to end: Ctrl-C, TERM, or a closed terminal."""


class Waking:
    """While entered, signals only end a `pause`; nothing is interrupted anywhere else. Main thread only."""

    def __enter__(self) -> Self:
        self._read, self._write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        # A closed terminal stays ignored where nohup says so. SIGINT is heard even where it was ignored, as it is in
        # what a script starts by `&`: whoever sends it means it.
        heard = [signal.SIGINT, signal.SIGTERM, signal.SIGCHLD]
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
            heard.append(signal.SIGHUP)
        self._former = {number: signal.signal(number, _nothing) for number in heard}
        self._former_fd = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.set_wakeup_fd(self._former_fd)
        for number, handler in self._former.items():
            signal.signal(number, handler)
        os.close(self._read)
        os.close(self._write)

    def pause(self, seconds: float | None) -> None:
        """Waits so many seconds (None: without end), or less when a signal comes.

        Raises:
            StopAsked: somebody asked to stop since the last pause.
        """
        ready, _, _ = select.select([self._read], [], [], seconds)
        if ready and not _STOP.isdisjoint(os.read(self._read, 4096)):
            raise StopAsked

    def sleep(self, seconds: float) -> None:
        """The same for waits that the end of a child doesn't concern: it takes the whole time."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.pause(left)


def _nothing(number: int, frame: FrameType | None) -> None:
    """The byte that Python writes to the pipe for it is enough."""
