"""Liveness reports: the main loop of a process reports that it turns, and a process that stops reporting is replaced.

The reports follow systemd's protocol (``WATCHDOG=1`` to the socket that ``NOTIFY_SOCKET`` names), so that either
systemd or the supervisor of `novaluna up` can detect a process that hangs, is suspended, or computes without end. They
only show that the loop turns: a process that waits for a hanging database or mail server still sends them.
"""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
import time
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

NOTIFY_SOCKET = "NOTIFY_SOCKET"

INTERVAL = 1.0
"""Seconds between two reports."""

TIMEOUT = 10.0
"""Seconds without a report after which a process is replaced."""

START_TIMEOUT = 120.0
"""Seconds that a new process has for its first report; imports take long on a busy machine."""

_EXIT_CODE = 70


class LivenessReporter:
    """A sender of reports that this process is alive; without ``NOTIFY_SOCKET``, nobody receives them."""

    def __init__(self) -> None:
        address = os.environ.get(NOTIFY_SOCKET, "")
        self._address = "\0" + address[1:] if address.startswith("@") else address
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) if address else None
        if self._socket is not None:
            self._socket.setblocking(False)
        self._sent = 0

    def report(self) -> None:
        """Send one report, without waiting and without ever failing."""
        self._sent += 1
        if self._socket is not None:
            try:
                self._socket.sendto(b"WATCHDOG=1", self._address)
            except OSError:  # earlier reports have not been read yet, or nobody listens
                return

    def report_from(self, loop: AbstractEventLoop) -> None:
        """Send a report every second while this event loop runs; end the process if it stops."""

        def again() -> None:
            self.report()
            loop.call_later(INTERVAL, again)

        again()
        Thread(target=self._watch, args=(loop,), name="liveness", daemon=True).start()

    def _watch(self, loop: AbstractEventLoop) -> None:
        """End the process after too many seconds without a report.

        Only seconds in which this process ran are counted, so one that was suspended and resumed gets its full time.
        """
        sent, silent = self._sent, 0.0
        while not loop.is_closed():
            time.sleep(INTERVAL)
            silent = 0.0 if self._sent != sent else silent + INTERVAL
            sent = self._sent
            if silent >= TIMEOUT and loop.is_running():
                os._exit(_EXIT_CODE)


class LivenessMonitor:
    """A receiver of the liveness reports of one process at a time.

    Attributes:
        address: the path of the socket, which the process is given as ``NOTIFY_SOCKET``.
    """

    def __init__(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="nova-luna-")  # nobody else can enter it
        self.address = os.path.join(self._folder, "signs")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        self._socket.setblocking(False)
        self._socket.bind(self.address)
        self.reset()

    def reset(self) -> None:
        """Start over for a process that has just been started."""
        self._receive()
        self._has_reported = False
        self._silent = 0.0
        self._checked_at = time.monotonic()

    def silence(self) -> float | None:
        """Read pending reports, and return the seconds without one if they exceed the time-out, else None.

        Each call adds at most two seconds: while the machine was suspended, or had no time for this process, the other
        process could not report either.
        """
        now = time.monotonic()
        if self._receive():
            self._has_reported, self._silent = True, 0.0
        else:
            self._silent += min(now - self._checked_at, 2 * INTERVAL)
        self._checked_at = now
        return self._silent if self._silent >= (TIMEOUT if self._has_reported else START_TIMEOUT) else None

    def close(self) -> None:
        """Close and remove the socket."""
        self._socket.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _receive(self) -> bool:
        received = False
        while True:
            try:
                self._socket.recv(64)
            except BlockingIOError:
                return received
            received = True
