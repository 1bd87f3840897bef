"""The time that a wait took: how long the player to move thought about a placement or refill."""

from __future__ import annotations

from datetime import datetime, timedelta

from engine.moves import Place, Refill
from engine.story.model import LoggedMove
from engine.table import Step

_SECOND = timedelta(seconds=1)


class Waits:
    """The present wait of a game that is replayed. Marks do not begin one anew, nor does another player who leaves."""

    def __init__(self, started_at: datetime) -> None:
        self._since = started_at

    def after(self, entry: LoggedMove, step: Step) -> int | None:
        """Return the whole seconds that a placement or refill took, None for other entries; go on to the next wait."""
        think = None
        if isinstance(entry.move, Place | Refill):
            think = max(0, (entry.at - self._since) // _SECOND)
        if think is not None or step.turn != step.before:
            self._since = entry.at
        return think
