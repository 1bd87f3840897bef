"""A cache of bytes, such as pictures, with as many of them as there is room for."""

from __future__ import annotations

from collections.abc import Hashable
from threading import Lock

from cachetools import LRUCache


class ByteCache:
    """Bytes by what they show, at most `most` of them together; what was used longest ago goes first."""

    def __init__(self, most: int) -> None:
        self.size = most
        self._cached: LRUCache[Hashable, bytes] = LRUCache(most, getsizeof=len)
        self._lock = Lock()  # to look one up puts it in another place

    def get(self, shown: Hashable) -> bytes | None:
        """Return what shows this, None if it is not cached."""
        with self._lock:
            return self._cached.get(shown)

    def put(self, shown: Hashable, made: bytes) -> None:
        """Cache what shows this, unless it is larger than all that may be cached."""
        with self._lock:
            if len(made) <= self.size:
                self._cached[shown] = made
