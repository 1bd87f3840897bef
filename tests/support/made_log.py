"""A log of checkpoints in memory, made of the pure functions: batches, notes, proofs and tiles."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

from service.checkpoints import leaves, merkle
from service.checkpoints.keys import WITNESS, SigningKey
from service.checkpoints.notes import Checkpoint, signed, with_lines
from service.checkpoints.proofs import Consistency, Proof
from service.checkpoints.tiles import WIDTH, TileNodes, TreeBuilder, TreeTile

ORIGIN = "log.example/v1/checkpoints/1"


def key(name: str, number: int = 1, kind: int = 1) -> SigningKey:
    """Return a key made of a number; the same number gives the same key."""
    return SigningKey(name, hashlib.sha256(b"seed %d" % number).digest(), kind)


def witness(number: int) -> SigningKey:
    """Return the key of a witness."""
    return key(f"w{number}.example", number + 100, WITNESS)


def entry_at(record: dict[str, Any], version: int) -> bytes:
    """Return the entry of a record's game at a version."""
    links = leaves.links(record)
    return leaves.entry(links[0], version, leaves.status_at(record, version), links[version])


def partial_tiles(builder: TreeBuilder) -> list[TreeTile]:
    """Return the tiles of a tree that are not full."""
    return [
        TreeTile(level, builder.size // WIDTH ** (level + 1), edge) for level, edge in enumerate(builder.edges) if edge
    ]


class MadeLog:
    """A log that is appended to in batches of 256 entries.

    Args:
        salt: what tells its padding from that of another log.
        keys: the keys that sign.
    """

    def __init__(self, salt: str = "", keys: Sequence[SigningKey] = (), origin: str = ORIGIN) -> None:
        self.salt = salt
        self.origin = origin
        self.keys = list(keys) or [key(origin)]
        self.entries: list[bytes] = []
        self.sizes: list[int] = []

    @property
    def size(self) -> int:
        return len(self.entries)

    def policy(self, *lines: str, quorum: str = "none") -> str:
        """Return a policy with the keys of the log."""
        return "\n".join([*(f"log {each.public.vkey}" for each in self.keys), *lines, f"quorum {quorum}", ""])

    def batch(self, entries: Iterable[bytes] = (), ordered: bool = True) -> int:
        """Append entries and padding up to a multiple of 256, and return the new size."""
        added = list(entries)
        for number in range(-len(added) % 256 or 256 * (not added)):
            added.append(hashlib.sha512(f"{self.salt} {self.size} {number}".encode()).digest())
        self.entries += sorted(added, reverse=not ordered)
        self.sizes.append(self.size)
        return self.size

    def copy(self, size: int, salt: str) -> MadeLog:
        """Return another log that begins with the same entries."""
        other = MadeLog(salt, self.keys, self.origin)
        other.entries = self.entries[:size]
        other.sizes = [each for each in self.sizes if each <= size]
        return other

    def tiles(self, size: int) -> dict[tuple[int, int], TreeTile]:
        """Return all tiles of the tree of this size."""
        builder = TreeBuilder()
        made = [*builder.add(map(merkle.leaf_hash, self.entries[:size])), *partial_tiles(builder)]
        return {(tile.level, tile.number): tile for tile in made}

    def nodes(self, size: int) -> TileNodes:
        found = self.tiles(size)
        return TileNodes(lambda level, number, width: found[level, number].hashes, size)

    def checkpoint(self, size: int) -> Checkpoint:
        root = merkle.root_of([merkle.leaf_hash(each) for each in self.entries[:size]])
        return Checkpoint(self.origin, size, root)

    def note(self, size: int | None = None, *witnesses: SigningKey, time: int = 1_800_000_000) -> str:
        """Return the note of a checkpoint, cosigned by some witnesses."""
        text = self.checkpoint(self.size if size is None else size).text()
        return with_lines(signed(text, self.keys), (each.cosign(text, time) for each in witnesses))

    def proof(self, record: dict[str, Any], version: int, size: int, note: str | None = None) -> Proof:
        """Return the proof that a record's version is in the tree of this size."""
        entry = entry_at(record, version)
        index = self.entries.index(entry)
        path = tuple(merkle.inclusion_path(index, size, self.nodes(size).node))
        status = leaves.status_at(record, version)
        return Proof(version, status, entry, index, path, self.note(size) if note is None else note)

    def consistency(self, old: int, new: int) -> Consistency:
        """Return the proof that the tree of one size grew to that of another."""
        return Consistency(old, tuple(merkle.consistency_path(old, new, self.nodes(new).node)), self.note(new))
