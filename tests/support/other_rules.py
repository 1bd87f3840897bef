"""Rules that differ from those that games are played by, to play two versions side by side."""

from collections.abc import Sequence

from engine.game import Match
from engine.rules import Rules

FEWER = 12
"""By so many goal discs fewer a match is won."""


class OtherMatch(Match):
    """A match that is won sooner, and whose track may be refilled with up to four tiles left."""

    __slots__ = ()

    def __init__(self, seats: int, goal_discs: int, tiles: Sequence[int], stack: Sequence[int]) -> None:
        super().__init__(seats, goal_discs - FEWER, tiles, stack)

    def may_refill(self) -> bool:
        """Return whether the player to move may refill: with 1 to 4 tiles left, and a pile to draw from."""
        return self.result is None and len(self.wheel.ring) <= 4 and self.wheel.pile_size > 0


OTHER = Rules("other", match=OtherMatch)
