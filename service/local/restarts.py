"""A child that is started again whenever it ends, and ended when it gives no sign of life."""

import os
import signal
import subprocess
import time
from collections.abc import Callable

from service.local.errors import LocalError, StillRunning
from service.local.liveness import EVERY, Watch

#: One that lived so many seconds is started again at once; one that didn't, later and later.
_STEADY = 10.0
_FIRST_DELAY = 0.25
_LONGEST_DELAY = 15.0
_BUSY_DELAY = 0.05


class Kept:
    """One child, and when it is to be started again.

    Args:
        name: what people call it.
        start: starts it and returns its process, which leads a group of its own.
        say: takes a line for people.
        process: where it runs already.
        watch: hears its signs of life; None: it gives none.

    Attributes:
        failures: how often in a row it ended soon after it was started.
    """

    def __init__(
        self,
        name: str,
        start: Callable[[], subprocess.Popen[bytes]],
        say: Callable[[str], None],
        process: subprocess.Popen[bytes] | None = None,
        watch: Watch | None = None,
    ) -> None:
        self.name = name
        self._start = start
        self._say = say
        self._process = process
        self._watch = watch
        self._started = time.monotonic()
        self._delay = 0.0
        self.failures = 0
        self._due: float | None = None if process else 0.0

    def tend(self) -> float | None:
        """Starts it when it is due, and ends it when it gives no sign of life.

        Returns:
            In how many seconds to look again; None: not before it ends (which is a SIGCHLD).
        """
        now = time.monotonic()
        if self._due is None:
            assert self._process is not None
            code = self._process.poll()
            if code is None:
                return self._listen()
            self._put_off(now, f"{self.name} ended ({_cause(code)})")
        if self._due is not None and self._due <= now:
            try:
                self._process = self._start()
                if self._watch is not None:
                    self._watch.begin()
                self._started, self._due = time.monotonic(), None
            except StillRunning:
                self._due = now + _BUSY_DELAY
            except (LocalError, OSError) as error:
                self._put_off(now, f"{self.name} could not be started: {error}")
        if self._due is None:
            return EVERY if self._watch is not None else None
        return max(0.0, self._due - now)

    def _listen(self) -> float | None:
        if self._watch is None:
            return None
        if (silence := self._watch.silence()) is not None:
            self._say(f"{self.name} gave no sign of life for {silence:.0f} s and is killed.")
            self._kill()
            self._watch.begin()
        return EVERY

    def _kill(self) -> None:
        """Kills it and its children, also one that is stopped."""
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGKILL)

    def ask_to_stop(self) -> None:
        """Sends TERM."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()

    def stopped_by(self, deadline: float) -> None:
        """Waits until it is gone; at the deadline (of the monotonic clock) it and its children are killed."""
        if self._process is None:
            return
        try:
            self._process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self._say(f"{self.name} did not stop in time and is killed.")
            self._kill()
            self._process.wait()

    def _put_off(self, now: float, why: str) -> None:
        if now - self._started >= _STEADY:
            self.failures, self._delay = 0, 0.0
        else:
            self._delay = min(max(2 * self._delay, _FIRST_DELAY), _LONGEST_DELAY)
        self.failures += 1
        self._due = now + self._delay
        self._say(f"{why}; starting it again" + (f" in {self._delay:g} s." if self._delay else "."))


def _cause(code: int) -> str:
    return f"exit code {code}" if code >= 0 else signal.Signals(-code).name
