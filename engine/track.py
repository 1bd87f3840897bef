"""The moon track: whose turn it is (1.3, 2.1, 2.5, 4.3)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.errors import SetupError

RING = 24
"""The number of spaces printed in a ring. Only pictures use it: positions here are distances, which never wrap."""


class MoonTrack:
    """The player discs on the moon track.

    Attributes:
        order: the seats still in the game, the one to move first. It holds everything that 2.1 and 2.5 need: the disc
            furthest back comes first, and of discs on one space the one that arrived last.
        position: each seat's distance from the start.
        left: the seats that left, in the order of leaving.
    """

    __slots__ = ("left", "order", "position")

    def __init__(self, stack: Sequence[int]) -> None:
        """Set up the track with the starting pile, seats bottom first; the top disc moves first (1.3)."""
        if sorted(stack) != list(range(len(stack))) or set(map(type, stack)) != {int}:
            raise SetupError("bad_stack", "The starting pile holds each seat's disc once.", "1.3")
        self.order = list(stack)[::-1]
        self.position = [0] * len(stack)
        self.left: list[int] = []

    def clone(self) -> MoonTrack:
        """Return an independent copy of the track."""
        other = MoonTrack.__new__(MoonTrack)
        other.order = self.order.copy()
        other.position = self.position.copy()
        other.left = self.left.copy()
        return other

    def advance(self, cost: int) -> tuple[int, int]:
        """Move the disc whose turn it is by a tile's time cost, on top of those on its new space (2.5).

        Returns:
            The positions that it left and reached.
        """
        order, position = self.order, self.position
        seat = order.pop(0)
        before = position[seat]
        position[seat] = after = before + cost
        i = 0
        for other in order:
            if position[other] >= after:
                break
            i += 1
        order.insert(i, seat)
        return before, after

    def leave(self, seat: int) -> None:
        """Take a seat's disc off the track (4.3)."""
        self.order.remove(seat)
        self.left.append(seat)

    def stacks(self) -> list[tuple[int, list[int]]]:
        """Return the stacks, furthest back first: (position, seats bottom first)."""
        stacks: list[tuple[int, list[int]]] = []
        for seat in self.order:
            position = self.position[seat]
            if stacks and stacks[-1][0] == position:
                stacks[-1][1].insert(0, seat)
            else:
                stacks.append((position, [seat]))
        return stacks
