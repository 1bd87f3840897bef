"""The pictures in mails; a mail is sent without one if need be, since its text and tables have the same information."""

from __future__ import annotations

import hashlib
import time
from threading import Lock

import structlog

from service.pictures.cache import ByteCache
from service.pictures.plots.story import StoryScene, draw_story
from service.pictures.renderers import BadDrawing, Busy, Renderers, RenderingFailed
from service.pictures.scene import Scene
from service.pictures.table import draw

WIDTH = 700
"""The width in pixels: what most screens have for a mail, and enough to zoom in on a phone."""

PICTURE_SECONDS = 20.0
"""Seconds that a mail waits for its picture."""

HURRY = 5.0
"""Seconds after which a picture is rendered at normal priority.

A machine that is busy for long leaves no time for a lower priority, and a mail should not go without its picture for
that. Rendering then takes at most a tenth of a processor from others.
"""

REST = 60.0
"""Seconds without pictures after one took too long, so that mails do not pile up on a busy machine."""

_CACHED = 2 * 1024 * 1024
"""The size of the cache in bytes."""

_log = structlog.get_logger(__name__)


class MailPictures:
    """A renderer of the pictures in mails, in separate processes (`Renderers`), for several threads at once."""

    def __init__(self, renderers: Renderers, rest: float = REST) -> None:
        self._renderers = renderers
        self._rest = rest
        self._cache = ByteCache[bytes](_CACHED)
        self._lock = Lock()
        self._resting_until = 0.0

    def png(self, scene: Scene | StoryScene) -> bytes | None:
        """Return the table, or the plots, as a PNG; None if there is none in time, which is logged."""
        if time.monotonic() < self._resting_until:
            return None
        drawing = draw_story(scene) if isinstance(scene, StoryScene) else draw(scene)
        shown = hashlib.sha256(drawing.encode()).digest()
        picture = self._cache.get(shown)
        if picture is None:
            try:
                picture = self._renderers.png(lambda: drawing, WIDTH)
            except BadDrawing as error:
                _log.error("no picture: a drawing that can't be read", reason=str(error))
                return None
            except (Busy, RenderingFailed) as error:
                self._take_a_rest(str(error) or "all who render were busy for too long")
                return None
            self._cache.put(shown, picture)
        return picture

    def close(self) -> None:
        """End the renderers that are idle."""
        self._renderers.close()

    def _take_a_rest(self, reason: str) -> None:
        with self._lock:
            if time.monotonic() < self._resting_until:
                return
            self._resting_until = time.monotonic() + self._rest
        _log.warning("no picture: mails go without for a while", reason=reason, seconds=self._rest)
