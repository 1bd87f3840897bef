"""Wait for a time span, a signal or the end of a child, without missing a signal."""

import os
import select
import signal
import time
from types import FrameType, TracebackType
from typing import Self

_STOP = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP})


class StopRequested(BaseException):
    """The program was asked to end by Ctrl-C, SIGTERM, or a closed terminal."""


class SignalWaiter:
    """A context in which signals end a `pause` and interrupt nothing else; for the main thread only."""

    def __enter__(self) -> Self:
        self._read, self._write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        # SIGHUP stays ignored under nohup. SIGINT is handled even if it was ignored, as it is for a command that a
        # script starts with `&`: whoever sends it means it.
        heard = [signal.SIGINT, signal.SIGTERM, signal.SIGCHLD]
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
            heard.append(signal.SIGHUP)
        self._former = {number: signal.signal(number, _ignore) for number in heard}
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
        """Wait for `seconds` (None: without limit), or until a signal arrives.

        Raises:
            StopRequested: a stop was requested since the last pause.
        """
        ready, _, _ = select.select([self._read], [], [], seconds)
        if ready and not _STOP.isdisjoint(os.read(self._read, 4096)):
            raise StopRequested

    def sleep(self, seconds: float) -> None:
        """Wait for the whole number of seconds, even if children end meanwhile.

        Raises:
            StopRequested: a stop was requested since the last pause.
        """
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.pause(left)


def _ignore(number: int, frame: FrameType | None) -> None:
    """Do nothing: Python has already written a byte to the pipe for the signal."""
