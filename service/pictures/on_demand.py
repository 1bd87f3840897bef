"""Pictures on request: each is rendered once and cached, first for players, then for spectators, then for strangers.

A picture takes some hundred milliseconds of a processor, which makes it the most expensive thing to request. So the
share of strangers is limited twice: by the number of requests that may wait for pictures, with places reserved for
players, and by a budget of rendered pictures (`charge`). A cached picture, or one that somebody else is already waiting
for, is free.

Rendering has the lowest priority of the machine, and so makes no progress while others keep it busy, for instance by
requesting pictures. People with an account do not wait for that long: another renderer of normal priority serves them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from threading import Lock

from service.errors import LimitReached
from service.pictures.cache import ByteCache
from service.pictures.renderers import BadDrawing, Busy, Renderers, RenderingFailed
from service.pictures.single_flight import NotMade, SingleFlight

WIDTH = 700
"""The width of a picture in pixels."""

HURRY = 2.0
"""Seconds after which a picture for somebody with an account is rendered at normal priority."""

_BUSY = 60.0
"""Seconds for which such pictures are rendered at normal priority at once, after that was needed."""

_CACHED = 32 * 1024 * 1024
"""The size of the cache in bytes, enough for about a thousand pictures."""


class Rank(IntEnum):
    """The kinds of people who request pictures: players of the table, others with an account, and everybody else."""

    PLAYER = 0
    SPECTATOR = 1
    STRANGER = 2


class OnDemand:
    """The pictures that one process renders and caches.

    Args:
        renderers: the renderers, at the lowest priority.
        room: how many requests may wait for a picture at once: so many for players, one less for spectators, two less
            for strangers, but at least one for each if nobody else waits.
        seconds: how long a request waits for a picture that another one has started.
        quick: renderers of normal priority for people with an account, used when `renderers` are too slow; None: none.
    """

    def __init__(self, renderers: Renderers, room: int, seconds: float, quick: Renderers | None = None) -> None:
        self._renderers = renderers
        self._quick = quick
        self._busy_until = 0.0
        self._room = room
        self._seconds = seconds
        self._cache = ByteCache[bytes](_CACHED)
        self._flights = SingleFlight[bytes]()
        self._inside = 0
        self._lock = Lock()

    def png(
        self, shown: Hashable, drawing: Callable[[], str], rank: Rank, charge: Callable[[], Callable[[], None]]
    ) -> bytes:
        """Return the picture for the key `shown`, rendering it if it is not cached.

        Args:
            shown: everything that the drawing depends on.
            drawing: creates the drawing.
            rank: who requests it.
            charge: called before a picture is rendered; raises LimitReached if the caller has had too many, else
                returns a function that takes the charge back if rendering fails.

        Raises:
            Busy: too many requests are waiting.
            RenderingFailed: the picture could not be rendered.
            LimitReached: from `charge`.
        """
        kept = self._cache.get(shown)
        if kept is not None:
            return kept
        with self._inside_room(rank):
            for _ in range(self._room + 1):  # each of the waiting callers may be refused as the one to render
                try:
                    return self._flights.once(
                        shown, lambda: self._made(shown, drawing, rank, charge), self._seconds, LimitReached
                    )
                except NotMade:
                    continue
                except TimeoutError:
                    raise Busy from None
            raise Busy

    def _made(
        self, shown: Hashable, drawing: Callable[[], str], rank: Rank, charge: Callable[[], Callable[[], None]]
    ) -> bytes:
        kept = self._cache.get(shown)  # it may have been rendered meanwhile
        if kept is not None:
            return kept
        give_back = charge()
        try:
            picture = self._rendered(drawing, rank)
        except (Busy, RenderingFailed):
            give_back()
            raise
        self._cache.put(shown, picture)
        return picture

    def _rendered(self, drawing: Callable[[], str], rank: Rank) -> bytes:
        if rank is Rank.STRANGER or self._quick is None:
            return self._renderers.png(drawing, WIDTH, rank)
        if time.monotonic() >= self._busy_until:
            try:
                return self._renderers.png(drawing, WIDTH, rank, within=HURRY)
            except BadDrawing:
                raise
            except (Busy, RenderingFailed):
                self._busy_until = time.monotonic() + _BUSY
        return self._quick.png(drawing, WIDTH, rank)

    @contextmanager
    def _inside_room(self, rank: Rank) -> Iterator[None]:
        with self._lock:
            if self._inside >= max(1, self._room - rank):
                raise Busy
            self._inside += 1
        try:
            yield
        finally:
            with self._lock:
                self._inside -= 1
