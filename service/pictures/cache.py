"""A cache of byte strings, such as pictures, or of what has a size likewise, that is limited by their total size."""

from __future__ import annotations

from collections.abc import Hashable, Sized
from threading import Lock
from typing import Generic, TypeVar

from cachetools import LRUCache

Kept = TypeVar("Kept", bound=Sized)


class ByteCache(Generic[Kept]):
    """A cache of at most `most` bytes in total; the least recently used entry is removed first."""

    def __init__(self, most: int) -> None:
        self.size = most
        self._cached: LRUCache[Hashable, Kept] = LRUCache(most, getsizeof=len)
        self._lock = Lock()  # a look-up moves the entry to the end

    def get(self, shown: Hashable) -> Kept | None:
        """Return the picture that is cached under a key, or None."""
        with self._lock:
            return self._cached.get(shown)

    def put(self, shown: Hashable, made: Kept) -> None:
        """Cache something under a key, unless it is larger than the whole cache."""
        with self._lock:
            if len(made) <= self.size:
                self._cached[shown] = made
