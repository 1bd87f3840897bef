"""Makes a thing once for all who ask for it at the same time."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from concurrent.futures import Future
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class NotMade(Exception):
    """Who was to make it was refused: somebody else has to."""


class SingleFlight(Generic[T]):
    """Calls that are under way, by what they make."""

    def __init__(self) -> None:
        self._under_way: dict[Hashable, Future[T]] = {}
        self._lock = Lock()

    def once(self, key: Hashable, make: Callable[[], T], seconds: float, refusals: type[Exception]) -> T:
        """What `make` gives to the first who asks for this key; whoever asks meanwhile waits for it, so long at most
        (TimeoutError), and gets the same, or the same error.

        A refusal, an error of this type, concerns the first one alone; the others get NotMade.
        """
        with self._lock:
            waiting = self._under_way.get(key)
            mine = Future[T]() if waiting is None else None
            if mine is not None:
                self._under_way[key] = mine
        if waiting is not None:
            return waiting.result(seconds)
        assert mine is not None
        try:
            made = make()
        except BaseException as error:
            self._over(key)
            mine.set_exception(NotMade() if isinstance(error, refusals) or not isinstance(error, Exception) else error)
            raise
        self._over(key)
        mine.set_result(made)
        return made

    def _over(self, key: Hashable) -> None:
        with self._lock:
            del self._under_way[key]
