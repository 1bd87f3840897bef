"""Restart a child process whenever it ends, and kill it when it stops reporting that it is alive."""

import os
import signal
import subprocess
import time
from collections.abc import Callable

from service.local.errors import LocalError, StillRunning
from service.local.liveness import INTERVAL, LivenessMonitor

# A child that ran for so many seconds is restarted at once; one that didn't, with growing delays.
_STABLE_SECONDS = 10.0
_FIRST_DELAY = 0.25
_LONGEST_DELAY = 15.0
_BUSY_DELAY = 0.05


class RestartedChild:
    """A child process that is started again whenever it ends.

    Args:
        name: the name of the child in messages.
        start: starts the child and returns its process, which leads a process group of its own.
        say: called with each message for the operator, one line without a line feed.
        process: the process, if it is already running.
        monitor: receives the child's reports that it is alive; None: it sends none.

    Attributes:
        failures: how many times in a row the child ended soon after it was started.
    """

    def __init__(
        self,
        name: str,
        start: Callable[[], subprocess.Popen[bytes]],
        say: Callable[[str], None],
        process: subprocess.Popen[bytes] | None = None,
        monitor: LivenessMonitor | None = None,
    ) -> None:
        self.name = name
        self._start = start
        self._say = say
        self._process = process
        self._monitor = monitor
        self._started = time.monotonic()
        self._delay = 0.0
        self.failures = 0
        self._due: float | None = None if process else 0.0

    def check(self) -> float | None:
        """Start the child if it is due, and kill it if it has stopped reporting.

        Returns:
            The number of seconds until the next check; None: not before the child ends (which is signaled by SIGCHLD).
        """
        now = time.monotonic()
        if self._due is None:
            assert self._process is not None
            code = self._process.poll()
            if code is None:
                return self._check_liveness()
            self._schedule(now, f"{self.name} ended ({_cause(code)})")
        if self._due is not None and self._due <= now:
            try:
                self._process = self._start()
                if self._monitor is not None:
                    self._monitor.reset()
                self._started, self._due = time.monotonic(), None
            except StillRunning:
                self._due = now + _BUSY_DELAY
            except (LocalError, OSError) as error:
                self._schedule(now, f"{self.name} could not be started: {error}")
        if self._due is None:
            return INTERVAL if self._monitor is not None else None
        return max(0.0, self._due - now)

    def _check_liveness(self) -> float | None:
        if self._monitor is None:
            return None
        if (silence := self._monitor.silence()) is not None:
            self._say(f"{self.name} gave no sign of life for {silence:.0f} s and is killed.")
            self._kill()
            self._monitor.reset()
        return INTERVAL

    def _kill(self) -> None:
        """Kill the whole process group of the child, even if it is suspended."""
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGKILL)

    def terminate(self) -> None:
        """Send SIGTERM to the child if it is running."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()

    def wait_until(self, deadline: float) -> None:
        """Wait until the child has ended; at the deadline, a time of the monotonic clock, kill its process group."""
        if self._process is None:
            return
        try:
            self._process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self._say(f"{self.name} did not stop in time and is killed.")
            self._kill()
            self._process.wait()

    def _schedule(self, now: float, why: str) -> None:
        if now - self._started >= _STABLE_SECONDS:
            self.failures, self._delay = 0, 0.0
        else:
            self._delay = min(max(2 * self._delay, _FIRST_DELAY), _LONGEST_DELAY)
        self.failures += 1
        self._due = now + self._delay
        self._say(f"{why}; starting it again" + (f" in {self._delay:g} s." if self._delay else "."))


def _cause(code: int) -> str:
    return f"exit code {code}" if code >= 0 else signal.Signals(-code).name
