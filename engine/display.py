"""A player's display: placement (2.6), chains (3.2) and goals (3.1 to 3.5), looked at incrementally.

How it is quick: every chain keeps its size and the tiles with open goals that touch it (its watchers), and every tile
keeps how many tiles of each colour count for it, packed into one integer with eight bits a colour (a colour has 17
tiles, so seven bits do, and the eighth tells by one subtraction whether a goal is met). A placed tile grows one chain;
only that chain's watchers and the tile itself are looked at.

A cell is one integer, y * 256 + x, so that its neighbours are an addition away and cells sort in reading order.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.tiles import LETTERS, TILES

ROW = 256
REACH = 127
"""A coordinate's largest size: 68 tiles in a line reach 67, so every open cell is well within."""

_SHIFT = tuple(0 if not tile.id else 8 * LETTERS.index(tile.letter) for tile in TILES)
"""By tile id: how far its colour's count is shifted."""

_GUARD = 0x80808080


def _need(goal: str) -> int:
    return sum(goal.count(letter) << 8 * i for i, letter in enumerate(LETTERS))


_GOALS = tuple(tuple((_need(goal), i) for i, goal in enumerate(tile.goals)) for tile in TILES)
"""By tile id: its goals as (packed numbers asked for, index)."""

_ASKS = tuple(tuple(any(letter in goal for goal in tile.goals) for letter in LETTERS) for tile in TILES)
"""By tile id: for each colour whether one of its goals asks for it."""


def cell_of(x: int, y: int) -> int:
    """The cell at (x, y); both are at most REACH in size."""
    return (y << 8) + x


def xy(cell: int) -> tuple[int, int]:
    """The coordinates of a cell."""
    y = (cell + ROW // 2) >> 8
    return cell - (y << 8), y


def _around(cell: int) -> tuple[int, int, int, int]:
    return cell - ROW, cell - 1, cell + 1, cell + ROW


class Display:
    """The tiles that a player has placed, their chains and their open goals.

    `tiles` maps cells to tile ids in the order of placement; `frontier` are the cells where the next tile may go.
    """

    __slots__ = ("_chain", "_counts", "_open", "_size", "_watchers", "frontier", "tiles")

    def __init__(self) -> None:
        self.tiles: dict[int, int] = {}
        self.frontier = {0}
        self._chain: dict[int, int] = {}  # cell -> its chain's name, the cell that the chain began with
        self._size: dict[int, int] = {}  # chain -> how many tiles
        self._watchers: dict[int, tuple[int, ...]] = {}  # chain -> cells whose tiles count it for a goal
        self._counts: dict[int, int] = {}  # cell -> packed numbers of tiles that count for it
        self._open: dict[int, tuple[tuple[int, int], ...]] = {}  # cell -> goals not covered

    def clone(self) -> Display:
        """A display of the same value that can be changed apart."""
        other = Display.__new__(Display)
        other.tiles = self.tiles.copy()
        other.frontier = self.frontier.copy()
        other._chain = self._chain.copy()
        other._size = self._size.copy()
        other._watchers = self._watchers.copy()
        other._counts = self._counts.copy()
        other._open = self._open.copy()
        return other

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Display):
            return NotImplemented
        # Chains and counts follow from these, and their names from the order of placement.
        return list(self.tiles.items()) == list(other.tiles.items()) and self._open == other._open

    __hash__ = None  # type: ignore[assignment]  # a value, but one that can be advanced in place

    def place(self, tile: int, cell: int, discs: int) -> tuple[tuple[int, int], ...]:
        """Place a tile on a frontier cell and cover the goals met, as far as `discs` go (3.5).

        Gives the goals covered as (tile id, goal index), in the order of covering.
        """
        tiles, frontier, chains, sizes, watchers = self.tiles, self.frontier, self._chain, self._size, self._watchers
        counts = self._counts
        shift = _SHIFT[tile]
        color = shift >> 3
        asks = _ASKS[tile]

        # The neighbours: of the same colour they are chains to join, of another one chains to count and to be seen by.
        joined: list[int] = []
        counted: list[int] = []
        neighbours: list[int] = []
        count = 0
        for near in (cell - ROW, cell - 1, cell + 1, cell + ROW):
            there = tiles.get(near)
            if there is None:
                frontier.add(near)
                continue
            chain = chains[near]
            there_shift = _SHIFT[there]
            if there_shift == shift:
                if chain not in joined:
                    joined.append(chain)
                continue
            if chain not in counted:
                counted.append(chain)
                count += sizes[chain] << there_shift
                if asks[there_shift >> 3]:
                    watchers[chain] += (cell,)
            if _ASKS[there][color]:
                neighbours.append(near)
        frontier.discard(cell)
        tiles[cell] = tile

        # The tile's own chain: one more tile, or several chains made one; its watchers count what is new to them.
        seen: tuple[int, ...]
        if not joined:
            name, size, seen = cell, 1, ()
        elif len(joined) == 1:
            name = joined[0]
            size = sizes[name] + 1
            seen = watchers[name]
            one = 1 << shift
            for watcher in seen:
                counts[watcher] += one
        else:
            name, size, seen = self._join(joined, shift)
        chains[cell] = name
        sizes[name] = size
        whole = size << shift
        for near in neighbours:
            if near not in seen:
                counts[near] += whole
                seen += (near,)
        goals = _GOALS[tile]
        if goals:
            looked_at = seen + (cell,)
            if asks[color]:
                # Its own chain counts for such a goal, the tile itself never does (3.3).
                count += whole - (1 << shift)
                seen = looked_at
            self._open[cell] = goals
            counts[cell] = count
        else:
            looked_at = seen
        watchers[name] = seen
        met = self._met(looked_at) if looked_at else None
        return self._cover(met, discs) if met else ()

    def cover_waiting(self, discs: int) -> tuple[tuple[int, int], ...]:
        """Cover the goals that are met and wait for a disc (5.4), as far as `discs` go; as `place` gives them."""
        return self._cover(self._met(tuple(self._open)), discs)

    def placed(self) -> Iterator[tuple[int, int, int, list[int]]]:
        """The tiles in the order of placement: (tile id, x, y, indexes of its covered goals)."""
        for cell, tile in self.tiles.items():
            still = [goal for _, goal in self._open.get(cell, ())]
            x, y = xy(cell)
            yield tile, x, y, [goal for goal in range(len(TILES[tile].goals)) if goal not in still]

    def open_cells(self) -> list[tuple[int, int]]:
        """The cells (x, y) where the next tile may go (2.6), in reading order: by y, then by x."""
        return [xy(cell) for cell in sorted(self.frontier)]

    @property
    def cost(self) -> int:
        """The time cost of all tiles on the display."""
        return sum(TILES[tile].cost for tile in self.tiles.values())

    def counting(self, tile: int, goal: int) -> list[int]:
        """The ids of the tiles that count for a tile's goal: those of the colours asked for, in the chains that touch
        the tile at a side, each once, the tile itself never (3.1 to 3.3). In the order of placement.

        Raises KeyError when the tile isn't here, IndexError when it has no such goal.
        """
        cell = self._cell(tile)
        asked = TILES[tile].goals[goal]
        touching = {self._chain[near] for near in _around(cell) if near in self.tiles}
        return [
            there
            for place, there in self.tiles.items()
            if place != cell and self._chain[place] in touching and TILES[there].letter in asked
        ]

    def lacks(self, tile: int, goal: int) -> dict[str, int]:
        """What a tile's goal still lacks: letters of colours to numbers of tiles; empty when it is met.

        Raises as `counting` does.
        """
        counted = "".join(TILES[there].letter for there in self.counting(tile, goal))
        asked = TILES[tile].goals[goal]
        return {
            letter: asked.count(letter) - counted.count(letter)
            for letter in LETTERS
            if asked.count(letter) > counted.count(letter)
        }

    def _cell(self, tile: int) -> int:
        for cell, there in self.tiles.items():
            if there == tile:
                return cell
        raise KeyError(tile)

    def _join(self, joined: list[int], shift: int) -> tuple[int, int, tuple[int, ...]]:
        """Make several chains one that has one tile more; gives its name, its size and its watchers, counts brought up."""
        counts, sizes, watchers = self._counts, self._size, self._watchers
        size = 1 + sum(sizes[chain] for chain in joined)
        name = joined[0]
        seen: dict[int, None] = {}
        for chain in joined:
            # Each watcher gives back what the chain was to it; once it has seen all, it gets the whole, once (3.2).
            part = sizes.pop(chain) << shift
            for watcher in watchers.pop(chain):
                counts[watcher] -= part
                seen[watcher] = None
        for watcher in seen:
            counts[watcher] += size << shift
        for cell, chain in self._chain.items():
            if chain in joined:
                self._chain[cell] = name
        return name, size, tuple(seen)

    def _met(self, cells: tuple[int, ...]) -> list[tuple[int, tuple[int, int]]]:
        """The open goals of the cells that are met, as (cell, goal)."""
        counts, still = self._counts, self._open
        met = []
        for cell in cells:
            if cell in still:
                counted = counts[cell] + _GUARD
                for goal in still[cell]:
                    if (counted - goal[0]) & _GUARD == _GUARD:
                        met.append((cell, goal))
        return met

    def _cover(self, met: list[tuple[int, tuple[int, int]]], discs: int) -> tuple[tuple[int, int], ...]:
        """Cover met goals in the order in which their tiles were placed, then goal1 to goal3, as far as discs go."""
        if len(met) > 1:
            when = {cell: i for i, cell in enumerate(self.tiles)}
            met.sort(key=lambda found: (when[found[0]], found[1][1]))
        for cell, goal in met[:discs]:
            rest = tuple(other for other in self._open[cell] if other != goal)
            if rest:
                self._open[cell] = rest
            else:
                del self._open[cell]
        return tuple((self.tiles[cell], goal[1]) for cell, goal in met[:discs])
