"""A cache of byte strings, such as pictures, that is limited by their total size."""

from __future__ import annotations

from collections.abc import Hashable
from threading import Lock

from cachetools import LRUCache


class ByteCache:
    """A cache of at most `most` bytes in total; the least recently used entry is removed first."""

    def __init__(self, most: int) -> None:
        self.size = most
        self._cached: LRUCache[Hashable, bytes] = LRUCache(most, getsizeof=len)
        self._lock = Lock()  # a look-up moves the entry to the end

    def get(self, shown: Hashable) -> bytes | None:
        """Return the bytes cached under a key, or None."""
        with self._lock:
            return self._cached.get(shown)

    def put(self, shown: Hashable, made: bytes) -> None:
        """Cache bytes under a key, unless they are larger than the whole cache."""
        with self._lock:
            if len(made) <= self.size:
                self._cached[shown] = made
