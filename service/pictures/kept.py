"""Pictures that were rendered already, as many as there is room for."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock


class Kept:
    """Pictures by what they show, at most `size` of them; the one used longest ago goes first."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._pictures: OrderedDict[Hashable, bytes] = OrderedDict()
        self._lock = Lock()

    def get(self, shown: Hashable) -> bytes | None:
        """The picture, None if it isn't kept."""
        with self._lock:
            if shown in self._pictures:
                self._pictures.move_to_end(shown)
            return self._pictures.get(shown)

    def put(self, shown: Hashable, picture: bytes) -> None:
        """Keep a picture."""
        with self._lock:
            self._pictures[shown] = picture
            self._pictures.move_to_end(shown)
            if len(self._pictures) > self._size:
                self._pictures.popitem(last=False)
