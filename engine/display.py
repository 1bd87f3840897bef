"""A player's display: placement (2.6), chains (3.2) and goals (3.1 to 3.5), evaluated incrementally.

How it is fast: every chain knows its size and its watchers, which are the tiles that touch it and have a goal asking
for its color. Every tile stores how many tiles of each color count for it, packed into one integer with six bits per
color (a color has 17 tiles, so five bits suffice; the sixth shows with one subtraction whether a goal is met). A placed
tile makes one chain grow, so only that chain's watchers and the tile itself are looked at.

A cell is one integer, y * 256 + x, so that its neighbors are an addition away and cells sort in reading order.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.tiles import LETTERS, TILES

Goal = tuple[int, int]
"""A goal as (its threshold, its index on the tile).

It is met when every guard bit of count - threshold is set. The threshold is the packed numbers of tiles that it asks
for, less the guard bits.
"""

_LANE = 6
_GUARD = 0b100000_100000_100000_100000


def _facts(letter: str, goals: tuple[str, ...]) -> tuple[int, int, int, tuple[Goal, ...]]:
    color = LETTERS.find(letter)
    asks = sum(1 << i for i, other in enumerate(LETTERS) if any(other in goal for goal in goals))
    needs = [sum(goal.count(other) << _LANE * i for i, other in enumerate(LETTERS)) for goal in goals]
    return _LANE * color, 1 << color, asks, tuple((need - _GUARD, i) for i, need in enumerate(needs))


_FACTS = ((0, 0, 0, ()), *(_facts(tile.letter, tile.goals) for tile in TILES[1:]))
"""By tile id: the shift of its color's count, its color's bit, the bits of the colors it asks for, and its goals."""


_INDEXES = tuple(tuple(i for i in range(3) if bits >> i & 1) for bits in range(8))
"""Sets of a tile's goals, by the bits of their indexes."""


def cell_of(x: int, y: int) -> int:
    """Return the cell at (x, y); both must be from -127 to 127."""
    return (y << 8) + x


def xy(cell: int) -> tuple[int, int]:
    """Return the coordinates of a cell."""
    y = (cell + 128) >> 8
    return cell - (y << 8), y


class _Placed:
    """A placed tile: its open goals, the colors they ask for, its packed counts, its chain, and its covered goals.

    This class and the next have no `__init__`, because a replay would spend a tenth of its time calling it.
    """

    __slots__ = ("asks", "cell", "chain", "count", "covered", "goals", "order", "tile")

    asks: int
    cell: int
    chain: _Chain
    count: int
    covered: int
    goals: tuple[Goal, ...]
    order: int
    tile: int


class _Chain:
    """A chain: its color, its size, and the cells of the tiles that count it for a goal.

    The cells are the keys of a dict, for quick look-up. They are stored instead of the tiles so that there are no
    reference cycles, and an unused display is freed at once.
    """

    __slots__ = ("bit", "shift", "size", "watchers")

    bit: int
    shift: int
    size: int
    watchers: dict[int, None]


_Met = tuple[int, int, _Placed, Goal]
"""A met goal: the order of its tile, its index, the tile, the goal. The first two sort it (3.5)."""

_new = object.__new__


class Display:
    """The tiles that a player has placed, their chains and their open goals.

    Attributes:
        frontier: the cells where the next tile may go, in the order in which they opened, as the keys of a dict.
    """

    __slots__ = ("_placed", "frontier")

    def __init__(self) -> None:
        self._placed: dict[int, _Placed] = {}  # by cell, in the order of placement
        self.frontier: dict[int, None] = {0: None}

    def clone(self) -> Display:
        """Return an independent copy of the display."""
        other = Display()
        other.frontier = self.frontier.copy()
        twins = other._placed
        chains: dict[_Chain, _Chain] = {}
        for cell, placed in self._placed.items():
            twins[cell] = twin = _new(_Placed)
            twin.tile, twin.cell, twin.asks, twin.goals = placed.tile, cell, placed.asks, placed.goals
            twin.count, twin.order, twin.covered = placed.count, placed.order, placed.covered
            chain = placed.chain
            if chain not in chains:
                chains[chain] = grown = _new(_Chain)
                grown.bit, grown.shift, grown.size = chain.bit, chain.shift, chain.size
                grown.watchers = chain.watchers.copy()
            twin.chain = chains[chain]
        return other

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Display):
            return NotImplemented
        # Chains and counts follow from these.
        return list(self.placed()) == list(other.placed())

    __hash__ = None  # type: ignore[assignment]  # a value, but one that can be advanced in place

    def __len__(self) -> int:
        return len(self._placed)

    def place(self, tile: int, cell: int, discs: int) -> tuple[tuple[int, int], ...]:
        """Place a tile on a frontier cell and cover the goals that are met, as far as `discs` suffice (3.5).

        Returns:
            The covered goals as (tile id, goal index), in the order of covering.
        """
        placed, frontier = self._placed, self.frontier
        shift, bit, asks, goals = _FACTS[tile]
        me = _new(_Placed)
        me.tile = tile
        me.cell = cell
        me.asks = asks
        me.goals = goals
        me.covered = 0
        me.order = len(placed)

        # Neighbors of the same color are chains to join; those of another color are chains to count if the tile asks
        # for that color, each once (3.2).
        own: _Chain | None = None
        others: list[_Chain] = []
        neighbors: list[_Placed] = []
        count = 0
        for near in (cell - 256, cell - 1, cell + 1, cell + 256):
            if near not in placed:
                frontier[near] = None
                continue
            there = placed[near]
            chain = there.chain
            if chain.bit == bit:
                if own is None:
                    own = chain
                elif chain is not own and chain not in others:
                    others.append(chain)
                continue
            if asks & chain.bit and cell not in chain.watchers:
                chain.watchers[cell] = None
                count += chain.size << chain.shift
            if there.asks & bit:
                neighbors.append(there)
        del frontier[cell]

        # The tile's own chain grew by one tile, or is several chains merged; its watchers count what is new to them.
        if own is None:
            own = _new(_Chain)
            own.bit = bit
            own.shift = shift
            own.size = 0
            own.watchers = {}
        elif others:
            self._join(own, others)
        placed[cell] = me
        me.chain = own
        watchers = own.watchers
        touched: list[_Placed] = []
        one = 1 << shift
        for near in watchers:
            there = placed[near]
            there.count += one
            touched.append(there)
        own.size += 1
        whole = own.size << shift
        for there in neighbors:
            near = there.cell
            if near not in watchers:
                there.count += whole
                watchers[near] = None
                touched.append(there)
        if asks & bit:
            # The tile's own chain counts for such a goal, the tile itself never does (3.3).
            count += whole - one
            watchers[cell] = None
        me.count = count
        touched.append(me)

        met: list[_Met] = []
        guard = _GUARD
        for there in touched:
            count = there.count
            for goal in there.goals:
                if count - goal[0] & guard == guard:
                    met.append((there.order, goal[1], there, goal))
        return self._cover(met, discs) if met else ()

    def would_meet(self, tile: int, cell: int) -> int:
        """Return the number of open goals that `place` would find met for a tile at a frontier cell."""
        placed = self._placed
        shift, bit, asks, goals = _FACTS[tile]
        own: list[_Chain] = []
        asked: list[_Chain] = []
        asking: dict[int, int] = {}
        count = 0
        for near in (cell - 256, cell - 1, cell + 1, cell + 256):
            there = placed.get(near)
            if there is None:
                continue
            chain = there.chain
            if chain.bit == bit:
                if chain not in own:
                    own.append(chain)
                continue
            if asks & chain.bit and chain not in asked:
                asked.append(chain)
                count += chain.size << chain.shift
            if there.asks & bit:
                asking[near] = 0
        size = 1 + sum([chain.size for chain in own])
        if asks & bit:
            count += size - 1 << shift
        for chain in own:
            # A watcher of several of the chains counts each of them already.
            for near in chain.watchers:
                asking[near] = asking.get(near, 0) + chain.size
        guard = _GUARD
        met = sum([count - goal[0] & guard == guard for goal in goals])
        for near, counted in asking.items():
            there = placed[near]
            grown = there.count + (size - counted << shift)
            met += sum([grown - goal[0] & guard == guard for goal in there.goals])
        return met

    def cover_waiting(self, discs: int) -> tuple[tuple[int, int], ...]:
        """Cover the goals that are met and wait for a disc (5.4), as far as `discs` suffice.

        Returns:
            The covered goals, as `place` returns them.
        """
        met = [
            (placed.order, goal[1], placed, goal)
            for placed in self._placed.values()
            for goal in placed.goals
            if placed.count - goal[0] & _GUARD == _GUARD
        ]
        return self._cover(met, discs)

    def placed(self) -> Iterator[tuple[int, int, int, tuple[int, ...]]]:
        """Return the tiles in the order of placement: (tile id, x, y, indexes of its covered goals)."""
        for cell, placed in self._placed.items():
            y = (cell + 128) >> 8  # the same as `xy`, without a call for each
            yield placed.tile, cell - (y << 8), y, _INDEXES[placed.covered]

    def open_cells(self) -> list[tuple[int, int]]:
        """Return the cells (x, y) where the next tile may go (2.6), in reading order: by y, then by x."""
        return [xy(cell) for cell in sorted(self.frontier)]

    @property
    def cost(self) -> int:
        """The time cost of all tiles on the display."""
        return sum(TILES[placed.tile].cost for placed in self._placed.values())

    def counting(self, tile: int, goal: int) -> list[int]:
        """Return the ids of the tiles that count for a tile's goal, in the order of placement (3.1 to 3.3).

        These are the tiles of the colors asked for in the chains that touch the tile at a side, each once, and never
        the tile itself.

        Raises:
            KeyError: the tile is not on the display.
            IndexError: it has no such goal.
        """
        me = self._find(tile)
        asked = TILES[tile].goals[goal]
        around = (me.cell - 256, me.cell - 1, me.cell + 1, me.cell + 256)
        touching = {self._placed[near].chain for near in around if near in self._placed}
        return [
            other.tile
            for other in self._placed.values()
            if other is not me and other.chain in touching and TILES[other.tile].letter in asked
        ]

    def lacks(self, tile: int, goal: int) -> dict[str, int]:
        """Return the tiles that a goal still lacks: color letters with numbers of tiles; empty if it is met.

        Raises:
            KeyError: the tile is not on the display.
            IndexError: it has no such goal.
        """
        counted = "".join(TILES[there].letter for there in self.counting(tile, goal))
        asked = TILES[tile].goals[goal]
        return {
            letter: asked.count(letter) - counted.count(letter)
            for letter in LETTERS
            if asked.count(letter) > counted.count(letter)
        }

    def _find(self, tile: int) -> _Placed:
        for placed in self._placed.values():
            if placed.tile == tile:
                return placed
        raise KeyError(tile)

    def _join(self, own: _Chain, others: list[_Chain]) -> None:
        """Merge other chains into `own`; a watcher of several of them counts each chain once (3.2)."""
        placed = self._placed
        size = own.size + sum(chain.size for chain in others)
        seen: dict[int, None] = {}
        for chain in (own, *others):
            # Subtract from each watcher what it counted of the old chains, then add the merged chain once.
            for cell in chain.watchers:
                placed[cell].count -= chain.size << chain.shift
                seen[cell] = None
        for cell in seen:
            placed[cell].count += size << own.shift
        for there in placed.values():
            if there.chain in others:
                there.chain = own
        own.size = size
        own.watchers = seen

    def _cover(self, met: list[_Met], discs: int) -> tuple[tuple[int, int], ...]:
        """Cover met goals in the order of their tiles' placement, then goal1 to goal3, as far as the discs suffice."""
        if len(met) > 1:
            met.sort()
        covered = []
        for _, index, placed, goal in met[:discs]:
            placed.covered |= 1 << index
            placed.goals = tuple([other for other in placed.goals if other is not goal])
            if not placed.goals:
                placed.asks = 0  # no chain needs to look at it any more
            covered.append((placed.tile, index))
        return tuple(covered)
