"""The moon wheel: selection track, marker, draw pile and choices (1.1, 2.2, 2.3)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.errors import SetupError, TilesNotShown
from engine.tiles import COUNT

SPACES = 12
CHOICES = 3

_CLOCKWISE = tuple(tuple((marker + step) % SPACES for step in range(1, SPACES)) for marker in range(SPACES))
"""By the marker's space: the other eleven spaces, clockwise."""

_IDS = frozenset(range(1, COUNT + 1))


class Wheel:
    """The selection track with its marker, and the draw pile behind it.

    Attributes:
        tiles: the tiles in draw order: all 68, or as far as they were shown.
        shown: how many tiles have come out so far.
        ring: the tiles on the track, clockwise from the marker; the marker's own space is always empty.
    """

    __slots__ = ("_space", "marker", "ring", "shown", "tiles")

    def __init__(self, tiles: Sequence[int]) -> None:
        try:
            order = tuple(bytes(tiles))  # a quick way to require whole numbers
        except (TypeError, ValueError):
            order = ()
        ids = set(order)
        if len(ids) != len(order) or not ids <= _IDS or len(ids) < SPACES - 1:
            raise SetupError(
                "bad_tiles", "A draw order names each tile, 1 to 68, at most once, and at least the first 11.", "1.1"
            )
        self.tiles = order
        self.marker = 0
        self.ring: list[int] = []
        self.shown = 0
        self._space: dict[int, int] = {}
        """The space that each tile came to; the same tile can come to another one in a clone."""
        self.refill()

    def clone(self) -> Wheel:
        """Return an independent copy of the wheel."""
        other = Wheel.__new__(Wheel)
        other.tiles = self.tiles
        other.marker = self.marker
        other.ring = self.ring.copy()
        other.shown = self.shown
        other._space = self._space.copy()
        return other

    @property
    def pile_size(self) -> int:
        """The number of tiles in the draw pile."""
        return COUNT - self.shown

    def choices(self) -> list[int]:
        """Return the next three tiles clockwise from the marker, nearest first; fewer if fewer lie there (2.3)."""
        return self.ring[:CHOICES]

    def spaces(self) -> list[int]:
        """Return the twelve spaces, space 0 first: the tile's id, or 0 for an empty one."""
        spaces = [0] * SPACES
        for tile in self.ring:
            spaces[self._space[tile]] = tile
        return spaces

    def take(self, tile: int) -> int:
        """Take one of the choices, move the marker to its space (2.4), and return that space."""
        ring = self.ring
        choice = ring.index(tile)
        self.marker = space = self._space[tile]
        self.ring = ring[choice + 1 :] + ring[:choice]
        return space

    def refill(self) -> tuple[tuple[int, int], ...]:
        """Fill every empty space but the marker's, clockwise from the marker, while the pile lasts (2.2).

        Returns:
            The filled spaces with their tiles, in the order of filling.

        Raises:
            TilesNotShown: the state lacks the next tiles; nothing was changed.
        """
        needed = min(COUNT, self.shown + SPACES - 1 - len(self.ring))
        if needed > len(self.tiles):
            raise TilesNotShown(needed, len(self.tiles))
        space_of = self._space
        lying = {space_of[tile]: tile for tile in self.ring}
        ring: list[int] = []
        filled: list[tuple[int, int]] = []
        shown = self.shown
        for space in _CLOCKWISE[self.marker]:
            if space in lying:
                ring.append(lying[space])
            elif shown < COUNT:
                tile = self.tiles[shown]
                shown += 1
                space_of[tile] = space
                ring.append(tile)
                filled.append((space, tile))
        self.ring = ring
        self.shown = shown
        return tuple(filled)
