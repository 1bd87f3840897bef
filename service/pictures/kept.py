"""Pictures that were rendered already, as many as there is room for."""

from __future__ import annotations

from collections.abc import Hashable
from threading import Lock

from cachetools import LRUCache


class Kept:
    """Pictures by what they show, of at most `most` bytes together; the one used longest ago goes first."""

    def __init__(self, most: int) -> None:
        self._pictures: LRUCache[Hashable, bytes] = LRUCache(most, getsizeof=len)
        self._lock = Lock()  # to look one up puts it in another place

    def get(self, shown: Hashable) -> bytes | None:
        """The picture, None if it isn't kept."""
        with self._lock:
            return self._pictures.get(shown)

    def put(self, shown: Hashable, picture: bytes) -> None:
        """Keep a picture, unless it is larger than all that may be kept."""
        with self._lock:
            if len(picture) <= self._pictures.maxsize:
                self._pictures[shown] = picture
