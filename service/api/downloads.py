"""Count the downloads that a process sends at once, and limit them by who asks."""

from __future__ import annotations

from collections import Counter
from threading import Lock

from engine.phrases import Phrase
from service.errors import LimitReached

AT_ONCE, AT_ONCE_BY_CALLER = 32, 2
"""The number of downloads that a process sends at once, in all and to one caller."""

_BUSY = Phrase("Too many downloads of records are in progress; try again in a moment.")
_RETRY_AFTER = 10


class Downloads:
    """The downloads of a process, counted by caller; `number` is that of all."""

    def __init__(self) -> None:
        self.number = 0
        self._by_caller: Counter[str] = Counter()
        self._lock = Lock()

    def enter(self, caller: str) -> None:
        """Count one more download.

        Raises:
            LimitReached: there are too many.
        """
        with self._lock:
            if self._by_caller[caller] >= AT_ONCE_BY_CALLER or self.number >= AT_ONCE:
                raise LimitReached("too_many_downloads", _BUSY, retry_after=_RETRY_AFTER)
            self._by_caller[caller] += 1
            self.number += 1

    def leave(self, caller: str) -> None:
        """Count one download less."""
        with self._lock:
            self._by_caller -= Counter({caller: 1})  # which drops a caller without downloads
            self.number -= 1
