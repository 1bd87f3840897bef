"""Signs of life that the main loop of a process gives, and what becomes of one that gives none.

They are those of systemd (``WATCHDOG=1`` to the socket that ``NOTIFY_SOCKET`` names), so that either the supervisor of
`novaluna up` or systemd can watch, and replace what hangs, is stopped, or computes without end. They say only that the
loop turns: one that waits for a database or a relay that hangs gives them as well.
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

VARIABLE = "NOTIFY_SOCKET"

EVERY = 1.0
"""Seconds between two signs."""

SILENCE = 10.0
"""Seconds without one after which a process is replaced."""

STARTING = 120.0
"""Seconds in which the first one has to come: importing takes long on a machine that has much to do."""

_ENDED_ITSELF = 70


class SignOfLife:
    """What a process gives its signs by; without ``NOTIFY_SOCKET`` nobody hears them."""

    def __init__(self) -> None:
        address = os.environ.get(VARIABLE, "")
        self._to = "\0" + address[1:] if address.startswith("@") else address
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) if address else None
        if self._socket is not None:
            self._socket.setblocking(False)
        self._given = 0

    def give(self) -> None:
        """Give one; it waits for nothing and never fails."""
        self._given += 1
        if self._socket is not None:
            try:
                self._socket.sendto(b"WATCHDOG=1", self._to)
            except OSError:  # nobody has heard the former ones yet, or nobody is there
                return

    def give_by(self, loop: AbstractEventLoop) -> None:
        """Give one every second from now on, as long as this loop turns; where it does not, the process ends itself."""

        def again() -> None:
            self.give()
            loop.call_later(EVERY, again)

        again()
        Thread(target=self._watch, args=(loop,), name="liveness", daemon=True).start()

    def _watch(self, loop: AbstractEventLoop) -> None:
        """Counts seconds in which this process ran, so one that was stopped and goes on is given its time."""
        given, silent = self._given, 0.0
        while not loop.is_closed():
            time.sleep(EVERY)
            silent = 0.0 if self._given != given else silent + EVERY
            given = self._given
            if silent >= SILENCE and loop.is_running():
                os._exit(_ENDED_ITSELF)


class Watch:
    """Hears the signs of one process, whichever it is at the time. `address` is what to tell it by ``NOTIFY_SOCKET``."""

    def __init__(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="nova-luna-")  # nobody else can enter it
        self.address = os.path.join(self._folder, "signs")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        self._socket.setblocking(False)
        self._socket.bind(self.address)
        self.begin()

    def begin(self) -> None:
        """Begin anew, for a process that has just been started."""
        self._hear()
        self._lives = False
        self._silent = 0.0
        self._looked = time.monotonic()

    def silence(self) -> float | None:
        """Look for signs; gives the seconds without one where they are too many.

        It counts seconds in which there was somebody to look, at most two for each look: a machine that was suspended
        or had no time for this process had none for the other one.
        """
        now = time.monotonic()
        if self._hear():
            self._lives, self._silent = True, 0.0
        else:
            self._silent += min(now - self._looked, 2 * EVERY)
        self._looked = now
        return self._silent if self._silent >= (SILENCE if self._lives else STARTING) else None

    def close(self) -> None:
        """Hear no more."""
        self._socket.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _hear(self) -> bool:
        heard = False
        while True:
            try:
                self._socket.recv(64)
            except BlockingIOError:
                return heard
            heard = True
