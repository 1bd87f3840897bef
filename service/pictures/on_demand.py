"""Pictures for whoever asks: each drawn once and kept, and new ones for players before spectators before strangers.

A picture takes some hundred milliseconds of a processor, which makes it the dearest thing that there is to ask for. So
what a stranger may take of it is bounded twice: by how many may be in the room where pictures are waited for, which has
places that only players get, and by a budget of pictures that had to be drawn (`charge`). One that is kept, or that
somebody else waits for already, costs nothing.

Rendering has the lowest priority of a machine, and so gets nothing of one that others keep busy, by asking for pictures
perhaps. Who has an account doesn't wait for that long: there is another renderer, as important as anything, for them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from threading import Lock

from service.errors import LimitReached
from service.pictures.kept import Kept
from service.pictures.renderers import BadDrawing, Busy, Renderers, RenderingFailed
from service.pictures.single_flight import NotMade, SingleFlight

WIDTH = 700
"""Pixels across."""

HURRY = 2.0
"""Seconds after which the picture of somebody with an account is made at the priority of everything else."""

_BUSY = 60.0
"""Seconds for which that is done at once, after it was needed."""

_KEPT = 32 * 1024 * 1024
"""Bytes: a thousand pictures or so."""


class Rank(IntEnum):
    """Who asks: those who sit at the table, others with an account, and everybody else."""

    PLAYER = 0
    SPECTATOR = 1
    STRANGER = 2


class OnDemand:
    """The pictures that a process makes, and those that it keeps.

    `quick` renders for those with an account where `renderers` have no time; None: nobody does. `room` is how many
    requests may wait for a picture at once: so many for players, one less for spectators, two less for strangers, and
    one for each at least where nobody else is there.
    """

    def __init__(self, renderers: Renderers, room: int, seconds: float, quick: Renderers | None = None) -> None:
        self._renderers = renderers
        self._quick = quick
        self._busy_until = 0.0
        self._room = room
        self._seconds = seconds
        self._kept = Kept(_KEPT)
        self._flights = SingleFlight[bytes]()
        self._inside = 0
        self._lock = Lock()

    def png(
        self, shown: Hashable, drawing: Callable[[], str], rank: Rank, charge: Callable[[], Callable[[], None]]
    ) -> bytes:
        """The picture of what is `shown`.

        Args:
            shown: all that the drawing depends on.
            drawing: draws it.
            rank: who asks for it.
            charge: called when a picture has to be made; raises LimitReached if the caller has had too many, else gives
                what takes the charge back if there will be no picture.

        Raises:
            Busy: too many wait already.
            RenderingFailed: there is no picture.
            LimitReached: from `charge`.
        """
        kept = self._kept.get(shown)
        if kept is not None:
            return kept
        with self._inside_room(rank):
            for _ in range(self._room + 1):  # whoever was to make it may be refused, and there are no more than these
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
        kept = self._kept.get(shown)  # it may have been made since
        if kept is not None:
            return kept
        give_back = charge()
        try:
            picture = self._rendered(drawing, rank)
        except (Busy, RenderingFailed):
            give_back()
            raise
        self._kept.put(shown, picture)
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
