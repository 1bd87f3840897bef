"""Limit the downloads that a process sends at once, and those that somebody has of all processes."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

from engine.phrases import Phrase
from service.access.limits import networks_of
from service.errors import LimitReached
from service.store.slots import DOWNLOADS, Slots

AT_ONCE, AT_ONCE_BY_CALLER = 32, 2
"""The number of downloads that a process sends at once, and the number that one caller has of all processes."""

_BUSY = Phrase("Too many downloads of records are in progress; try again in a moment.")
_RETRY_AFTER = 10


class Downloads:
    """The downloads of a process; `number` is how many there are. `slots` limits those of a caller."""

    def __init__(self, slots: Slots) -> None:
        self.number = 0
        self._slots = slots
        self._lock = Lock()

    def enter(self, caller: Sequence[tuple[str, int]]) -> None:
        """Count one more download by a caller: an account or networks, each with the number that it may have at once.

        Raises:
            LimitReached: there are too many.
        """
        with self._lock:
            if self.number >= AT_ONCE:
                raise _busy()
            self.number += 1
        is_taken = False
        try:
            is_taken = self._slots.take_all(DOWNLOADS, caller)
        finally:
            if not is_taken:
                with self._lock:
                    self.number -= 1
        if not is_taken:
            raise _busy()

    def leave(self, caller: Sequence[tuple[str, int]]) -> None:
        """Count one download less."""
        self._slots.give_back_all(DOWNLOADS, caller)
        with self._lock:
            self.number -= 1


def counted_as(account: str | None, ip: str) -> list[tuple[str, int]]:
    """Return the owners that a download counts for, as `Downloads` takes them: an account or, without one, networks."""
    return networks_of(ip, AT_ONCE_BY_CALLER) if account is None else [(account, AT_ONCE_BY_CALLER)]


def _busy() -> LimitReached:
    return LimitReached("too_many_downloads", _BUSY, retry_after=_RETRY_AFTER)
