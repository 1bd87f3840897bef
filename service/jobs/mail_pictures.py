"""Makes the pictures for mails, without which a mail goes as well: text and tables say all that a picture shows."""

from __future__ import annotations

import hashlib
import time
from threading import Lock

import structlog

from service.pictures.kept import Kept
from service.pictures.renderers import BadDrawing, Busy, Renderers, RenderingFailed
from service.pictures.scene import Scene
from service.pictures.table import draw

WIDTH = 700
"""Pixels: what most screens give to a mail, and enough for a phone to enlarge."""

PATIENCE = 20.0
"""Seconds that a mail waits for its picture."""

HURRY = 5.0
"""Seconds after which its picture is made at the priority of everything else: a machine that is busy for long leaves no
time, and a mail is not to go without for that. So rendering takes others a tenth of a processor at most then."""

REST = 60.0
"""Seconds without pictures after one took too long: on a machine that has no time for them mails would pile up."""

_KEPT = 2 * 1024 * 1024
"""Bytes."""

_log = structlog.get_logger(__name__)


class Illustrator:
    """Renders in processes of its own (`Renderers`); several threads may ask at once, and each waits for its picture."""

    def __init__(self, renderers: Renderers, rest: float = REST) -> None:
        self._renderers = renderers
        self._rest = rest
        self._kept = Kept(_KEPT)
        self._lock = Lock()
        self._resting_until = 0.0

    def png(self, scene: Scene) -> bytes | None:
        """The table as a PNG; None where there is none to be had in time, which is logged."""
        if time.monotonic() < self._resting_until:
            return None
        drawing = draw(scene)
        shown = hashlib.sha256(drawing.encode()).digest()
        picture = self._kept.get(shown)
        if picture is None:
            try:
                picture = self._renderers.png(lambda: drawing, WIDTH)
            except BadDrawing as error:
                _log.error("no picture: a drawing that can't be read", reason=str(error))
                return None
            except (Busy, RenderingFailed) as error:
                self._take_a_rest(str(error) or "all who render were busy for too long")
                return None
            self._kept.put(shown, picture)
        return picture

    def close(self) -> None:
        """End the processes that nobody waits for."""
        self._renderers.close()

    def _take_a_rest(self, reason: str) -> None:
        with self._lock:
            if time.monotonic() < self._resting_until:
                return
            self._resting_until = time.monotonic() + self._rest
        _log.warning("no picture: mails go without for a while", reason=reason, seconds=self._rest)
