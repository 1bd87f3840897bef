"""Compute a value once for all callers who ask for it at the same time."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from concurrent.futures import Future
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class NotMade(Exception):
    """The caller that was to compute the value was refused; another one has to."""


class SingleFlight(Generic[T]):
    """The calls in progress, by the key of their value."""

    def __init__(self) -> None:
        self._under_way: dict[Hashable, Future[T]] = {}
        self._lock = Lock()

    def once(self, key: Hashable, make: Callable[[], T], seconds: float, refusals: type[Exception]) -> T:
        """Return the value of `make` for a key; concurrent callers wait for the first one's call and share its outcome.

        Raises:
            TimeoutError: the first caller's call took longer than this caller waits.
            NotMade: the first caller raised the exception type of a refusal, which concerns that caller alone.
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
