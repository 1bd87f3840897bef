"""Make a batch: append to the log of checkpoints where every game stands that has changed since the last batch.

All of a batch is one transaction. It holds one level-0 tile's worth of entries a time, and the right edge of the tree.
Nothing is signed here: `service.commands.checkpoint_signing` does that with what is stored.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import datetime

from sqlalchemy.orm import Session

from service.checkpoints import merkle, tiles
from service.checkpoints.leaves import ENTRY_BYTES
from service.checkpoints.tiles import WIDTH, hashes_of
from service.store import checkpoint_tiles as stored
from service.store import checkpoints
from service.store.checkpoint_tiles import NewEntry
from service.store.checkpoints import Batch, Log

_AT_ONCE = 16
"""The number of level-0 tiles that are written in one COPY."""


def make(session: Session, log: Log, now: datetime, random: Callable[[int], bytes] = secrets.token_bytes) -> Batch:
    """Append a batch to a log, in the session's transaction, and return it.

    The caller holds the lock (`service.store.checkpoints.lock`). `random` returns so many random bytes, for padding.
    """
    before = checkpoints.newest_batch(session, log.number)
    last, deleted = stored.event_positions(session)
    since = None if before is None or before.events_to < deleted else before.events_to
    first = 0 if before is None else before.size
    builder = tiles.TreeBuilder(tiles.TileNodes(stored.fetcher(session, log.number), first).edges())
    padding = [random(ENTRY_BYTES) for _ in range(WIDTH)]
    index, leaves = first, 0
    with stored.new_entries(session, log.number, since, padding) as entries:
        for group in stored.batched(entries, WIDTH * _AT_ONCE):
            stored.add_tiles(session, log.number, _full_tiles(builder, group))
            stored.add_leaves(session, log.number, enumerate(group, start=index))
            index += len(group)
            leaves += sum(new.game is not None for new in group)
    batch = Batch(log.number, index, builder.root(), edge(builder.edges), leaves, last, now)
    checkpoints.add_batch(session, batch)
    return batch


def _full_tiles(builder: tiles.TreeBuilder, group: list[NewEntry]) -> list[stored.Tile]:
    """Append the entries of level-0 tiles to a tree, and return all tiles that have become full, of any level."""
    entries = [new.entry for new in group]
    full = []
    for tile in builder.add(map(merkle.leaf_hash, entries)):
        root = merkle.root_of(hashes_of(tile.hashes))
        joined = None
        if tile.level == 0:
            joined, entries = b"".join(entries[:WIDTH]), entries[WIDTH:]
        full.append(stored.Tile(tile.level, tile.number, root, joined))
    return full


def edge(edges: list[bytes]) -> bytes:
    """Return the roots of the perfect subtrees that make up a tree, largest first, from its open tiles.

    `edges` are those of a `TreeBuilder`: the hashes of the tile that is not full, for each level from 0.
    """
    found: list[bytes] = []
    for hashes in map(hashes_of, edges):
        here, at, width = [], 0, WIDTH
        while width := width // 2:
            if len(hashes) & width:
                here.append(merkle.root_of(hashes[at : at + width]))
                at += width
        found = here + found
    return b"".join(found)
