"""Cut a tree into tiles and put it together again (C2SP tlog-tiles): 256 hashes of every eighth level.

A tile of level 0 holds hashes of leaves, one of level 1 the roots of 256 leaves each, one of level 2 those of 65,536.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from engine.moves import MOST
from service.checkpoints import merkle
from service.checkpoints.leaves import ENTRY_BYTES

WIDTH: Final = 256
"""The number of hashes in a tile that is full."""

LEVELS: Final = 7
"""The number of levels that a tree of 2^53 leaves has tiles on."""

HASH_BYTES: Final = 32

_HEIGHT = 8
_LENGTH = ENTRY_BYTES.to_bytes(2, "big")
_NUMBER = re.compile(r"(?:x[0-9]{3}/){0,5}[0-9]{3}")


class TreeTile(NamedTuple):
    """A tile: its level, its number from the left, and its hashes, one after the other."""

    level: int
    number: int
    hashes: bytes

    @property
    def width(self) -> int:
        """The number of its hashes."""
        return len(self.hashes) // HASH_BYTES

    @property
    def path(self) -> str:
        """The path of the tile below its log."""
        return tile_path(self.level, self.number, self.width)


def tile_path(level: int, number: int, width: int = WIDTH) -> str:
    """Return the path of a tile below its log.

    >>> tile_path(0, 1234067, 8)
    'tile/0/x001/x234/067.p/8'
    """
    partial = "" if width == WIDTH else f".p/{width}"
    return f"tile/{level}/{number_path(number)}{partial}"


def entries_path(number: int) -> str:
    """Return the path of the bundle with the entries below a tile of level 0."""
    return f"tile/entries/{number_path(number)}"


def number_path(number: int) -> str:
    """Return a tile's number in groups of three digits.

    >>> number_path(5), number_path(1234067)
    ('005', 'x001/x234/067')
    """
    groups = [f"{number % 1000:03}"]
    while number := number // 1000:
        groups.append(f"x{number % 1000:03}")
    return "/".join(reversed(groups))


def number_from(text: str) -> int:
    """Return the number that a path has; raise ValueError for any spelling but that of `number_path`."""
    if not _NUMBER.fullmatch(text):
        raise ValueError("this is not the number of a tile, such as x001/x234/067")
    number = int(text.replace("x", "").replace("/", ""))
    if number > MOST or number_path(number) != text:
        raise ValueError("this is not the number of a tile, such as x001/x234/067")
    return number


def width_at(level: int, number: int, size: int) -> int:
    """Return the number of hashes that a tile holds in a tree of this size, 0 if the tree has no such tile."""
    return max(0, min(WIDTH, (size >> (_HEIGHT * level)) - number * WIDTH))


def pack_entries(entries: Iterable[bytes]) -> bytes:
    """Return the bundle of some entries: each after its length in two bytes."""
    return b"".join(_LENGTH + each for each in entries)


def unpack_entries(bundle: bytes) -> list[bytes]:
    """Return the entries of a bundle; raise ValueError if it is not made of entries of 64 bytes."""
    step = len(_LENGTH) + ENTRY_BYTES
    if len(bundle) % step or any(bundle[at : at + 2] != _LENGTH for at in range(0, len(bundle), step)):
        raise ValueError("this is not a bundle of entries, each of 64 bytes after its length")
    return [bundle[at + 2 : at + step] for at in range(0, len(bundle), step)]


def hashes_of(data: bytes) -> list[bytes]:
    """Return the hashes that some bytes consist of."""
    return [data[at : at + HASH_BYTES] for at in range(0, len(data), HASH_BYTES)]


class TreeBuilder:
    """A tree that leaves are added to; it keeps the tiles of its right edge alone, less than one on each level.

    Args:
        edges: the `edges` of the builder that this one goes on from.
    """

    def __init__(self, edges: Sequence[bytes] = ()) -> None:
        self._edges = [hashes_of(edge) for edge in edges]
        self._tiles = [0] * len(self._edges)
        size = 0
        for level in reversed(range(len(self._edges))):
            self._tiles[level] = size // WIDTH
            size += len(self._edges[level])
            size *= WIDTH if level else 1
        self.size = size

    def add(self, leaf_hashes: Iterable[bytes]) -> Iterator[TreeTile]:
        """Add leaves by their hashes, and yield each tile as soon as it is full. Nothing is added before it is read."""
        for each in leaf_hashes:
            self.size += 1
            yield from self._push(0, each)

    def _push(self, level: int, each: bytes) -> Iterator[TreeTile]:
        if level == len(self._edges):
            self._edges.append([])
            self._tiles.append(0)
        edge = self._edges[level]
        edge.append(each)
        if len(edge) == WIDTH:
            number = self._tiles[level]
            self._edges[level] = []
            self._tiles[level] += 1
            yield TreeTile(level, number, b"".join(edge))
            yield from self._push(level + 1, merkle.root_of(edge))

    def root(self) -> bytes:
        """Return the root of the tree."""
        lower: list[bytes] = []
        for edge in self._edges:
            hashes = edge + lower
            lower = [merkle.root_of(hashes)] if hashes else []
        return lower[0] if lower else merkle.EMPTY

    @property
    def edges(self) -> list[bytes]:
        """The hashes of the tile that is not full, for each level from 0; what another builder goes on from."""
        return [b"".join(edge) for edge in self._edges]


Fetch = Callable[[int, int, int], bytes]
"""Returns a tile's hashes: its level, its number, and its width."""


class TileNodes:
    """The complete subtrees of a tree, read from its tiles; each tile is fetched once.

    Args:
        fetch: how a tile is read.
        size: the size of the tree.
    """

    def __init__(self, fetch: Fetch, size: int) -> None:
        self._fetch = fetch
        self._size = size
        self._read: dict[tuple[int, int], list[bytes]] = {}

    def node(self, height: int, number: int) -> bytes:
        """Return the root of the complete subtree with 2^height leaves; what `merkle` makes paths from."""
        level, above = divmod(height, _HEIGHT)
        first = number << above
        tile, offset = divmod(first, WIDTH)
        return merkle.root_of(self.tile(level, tile)[offset : offset + (1 << above)])

    def tile(self, level: int, number: int) -> list[bytes]:
        """Return the hashes of a tile."""
        key = (level, number)
        if key not in self._read:
            width = width_at(level, number, self._size)
            hashes = hashes_of(self._fetch(level, number, width))
            if width == 0 or len(hashes) != width or len(hashes[-1]) != HASH_BYTES:
                raise ValueError(f"{tile_path(level, number, width)} does not have {width} hashes")
            self._read[key] = hashes
        return self._read[key]

    def edges(self) -> list[bytes]:
        """Return the hashes from which a `TreeBuilder` continues at the size of this tree."""
        found = []
        for level in range(LEVELS):
            count = self._size >> (_HEIGHT * level)
            if count == 0:
                break
            found.append(b"".join(self.tile(level, count // WIDTH)) if count % WIDTH else b"")
        return found
