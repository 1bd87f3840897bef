"""Compare the logs of checkpoints with the logs of games: what a checkpoint commits to must still be there.

Everything is read in the order of the entries, a tile at a time. That a game's own chain holds is not checked here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import psycopg
from sqlalchemy.orm import Session

from service.checkpoints import leaves, merkle
from service.checkpoints.errors import CheckpointError
from service.checkpoints.keys import VerifyKey
from service.checkpoints.leaves import ENTRY_BYTES, FINISHED, RUNNING
from service.checkpoints.notes import Checkpoint, SignedNote
from service.checkpoints.tiles import WIDTH, TreeBuilder, TreeTile, hashes_of
from service.store import checkpoint_tiles, checkpoints
from service.store.checkpoint_tiles import driver
from service.store.checkpoints import Batch, Log


class Finding(NamedTuple):
    """A difference.

    Attributes:
        game: the id of the game, or None if it is in no game.
        entry: the number of the entry of the game that it was found at, or None.
        code: what it is: one of those with which a proof is refused (docs/CHECKPOINTS.md), or `checkpoint_tree`,
            `checkpoint_note` or `checkpoint_leaves`, if the log of checkpoints itself was changed.
        text: a sentence.
    """

    game: str | None
    entry: int | None
    code: str
    text: str


class _Committed(NamedTuple):
    """A leaf, and what the game's log has now; `head` is None if the log has no entry of that version."""

    at: int
    version: int
    finished: bool
    game: str | None
    header: bytes | None
    head: bytes | None
    last: int
    is_over: bool


def compare(session: Session) -> Iterator[Finding]:
    """Yield each difference between the logs of checkpoints and those of games, log by log, in the order of entries.

    Args:
        session: the transaction; it should be of the isolation level REPEATABLE READ if games go on meanwhile.
    """
    for log in checkpoints.logs(session):
        yield from _Comparison(session, log).findings()


class _Comparison:
    """The comparison of one log."""

    def __init__(self, session: Session, log: Log) -> None:
        self._session, self._log = session, log
        self._builder = TreeBuilder()

    def findings(self) -> Iterator[Finding]:
        """Yield each difference."""
        committed, batches = _Ahead(self._committed()), self._batches()
        batch = next(batches, None)
        counted = 0
        for number, root, entries in self._tiles():
            if number * WIDTH != self._builder.size:
                yield self._tree(f"tile {self._builder.size // WIDTH} is missing")
                return
            yield from self._tile(root, entries)
            for leaf in committed.below(self._builder.size):
                counted += 1
                yield from _leaf(leaf, entries[leaf.at % WIDTH * ENTRY_BYTES :][:ENTRY_BYTES])
            while batch is not None and batch.size <= self._builder.size:
                yield from self._batch(batch, counted)
                batch, counted = next(batches, None), 0
        if batch is not None:
            yield self._tree(f"the tree ends before the checkpoint of size {batch.size}")
        newest = checkpoints.newest_batch(self._session, self._log.number)
        if (0 if newest is None else newest.size) < self._builder.size:
            yield self._tree("the tree goes on after its last checkpoint")
        for leaf in committed:
            yield Finding(
                leaf.game, leaf.version, "checkpoint_leaves", f"a leaf has the index {leaf.at}, beyond the tree"
            )

    def _tree(self, text: str) -> Finding:
        return Finding(None, None, "checkpoint_tree", f"log {self._log.number}: {text}")

    def _tile(self, root: bytes, entries: bytes) -> Iterator[Finding]:
        hashes = [merkle.leaf_hash(entries[at : at + ENTRY_BYTES]) for at in range(0, len(entries), ENTRY_BYTES)]
        for tile in self._builder.add(hashes):
            found = root if tile.level == 0 else self._root_of(tile)
            if found != merkle.root_of(hashes_of(tile.hashes)):
                yield self._tree(f"{tile.path} has another root than its hashes")

    def _root_of(self, tile: TreeTile) -> bytes:
        return checkpoint_tiles.roots(self._session, self._log.number, tile.level, tile.number, 1)

    def _batch(self, batch: Batch, leaves: int) -> Iterator[Finding]:
        if batch.size != self._builder.size or batch.root != self._builder.root():
            yield self._tree(f"the checkpoint of size {batch.size} has another root than the tree")
        if batch.leaves != leaves:
            yield Finding(
                None,
                None,
                "checkpoint_leaves",
                f"log {self._log.number}: the batch up to size {batch.size} had {batch.leaves} leaves, and there"
                f" are {leaves}",
            )
        newest = checkpoints.newest_batch(self._session, self._log.number)
        for stage in (checkpoints.SIGNED, checkpoints.PUBLISHED):
            note = checkpoints.note_of(self._session, self._log.number, batch.size, stage)
            if note is not None:
                wrong = self._wrong(batch, note.note)
            else:
                wrong = None if newest is None or newest.size == batch.size else f"it was not {stage}"
            if wrong is not None:
                yield Finding(
                    None,
                    None,
                    "checkpoint_note",
                    f"log {self._log.number}: the checkpoint of size {batch.size}: {wrong}",
                )

    def _wrong(self, batch: Batch, text: str) -> str | None:
        """Return the fault of a note, or None."""
        keys = [VerifyKey.parse(key.vkey) for key in checkpoints.keys(self._session, self._log.number)]
        try:
            note = SignedNote.parse(text)
            if not note.signers(keys):
                return "no key of the log signed it"
            if Checkpoint.parse(note.text, self._log.origin) != (self._log.origin, batch.size, batch.root):
                return "its note says another size or root"
        except CheckpointError as error:
            return error.detail
        return None

    def _batches(self) -> Iterator[Batch]:
        """Yield the batches of the log, smallest first."""
        with self._cursor("checkpoint_batches") as cursor:
            cursor.execute("SELECT size FROM checkpoint_batches WHERE log = %s ORDER BY size", [self._log.number])
            for (size,) in cursor:
                found = checkpoints.batch_of(self._session, self._log.number, size)
                assert found is not None, "it was read in the same transaction"
                yield found

    def _tiles(self) -> Iterator[tuple[int, bytes, bytes]]:
        """Yield the number, the root and the entries of the tiles of level 0, in order."""
        with self._cursor("checkpoint_tiles") as cursor:
            cursor.itersize = 16
            cursor.execute(_TILES, [self._log.number])
            yield from cursor

    def _committed(self) -> Iterator[_Committed]:
        """Yield the leaves of games with what their logs have now, in the order of their indexes."""
        with self._cursor("checkpoint_leaves") as cursor:
            cursor.execute(_COMMITTED, [self._log.number])
            yield from map(_Committed._make, cursor)

    def _cursor(self, name: str) -> psycopg.ServerCursor[Any]:
        return driver(self._session).cursor(name=name, binary=True)


_TILES = "SELECT tile, root, entries FROM checkpoint_tiles WHERE log = %s AND level = 0 ORDER BY tile"

_COMMITTED = """
SELECT leaf.index, leaf.version, leaf.finished, tables.id, header.hash,
       CASE WHEN leaf.version = 0 THEN header.hash ELSE entry.hash END,
       coalesce((SELECT max(seq) FROM log WHERE log.game = leaf.game), 0),
       coalesce(progress.status = 'finished', false)
  FROM checkpoint_leaves AS leaf
  LEFT JOIN tables ON tables.key = leaf.game
  LEFT JOIN setups ON setups.game = leaf.game
  LEFT JOIN progress ON progress.game = leaf.game
  LEFT JOIN log AS entry ON entry.game = leaf.game AND entry.seq = leaf.version
 CROSS JOIN LATERAL (SELECT sha256(convert_to(setups.header, 'UTF8')) AS hash) AS header
 WHERE leaf.log = %s
 ORDER BY leaf.index
"""


class _Ahead:
    """Leaves of which those below an index are taken."""

    def __init__(self, leaves: Iterator[_Committed]) -> None:
        self._leaves = leaves
        self._next = next(leaves, None)

    def below(self, index: int) -> Iterator[_Committed]:
        """Yield the leaves that are left with a smaller index."""
        while self._next is not None and self._next.at < index:
            yield self._next
            self._next = next(self._leaves, None)

    def __iter__(self) -> Iterator[_Committed]:
        """Yield all leaves that are left."""
        if self._next is not None:
            yield self._next
            yield from self._leaves


def _leaf(leaf: _Committed, entry: bytes) -> Iterator[Finding]:
    """Yield what is wrong with a game by one of its leaves, whose entry in the log is given."""
    said = FINISHED if leaf.finished else RUNNING
    if leaf.header is None:
        yield Finding(
            leaf.game, leaf.version, "wrong_game", f"a checkpoint has it at version {leaf.version}; it is gone"
        )
    elif entry[:32] != leaves.tag(leaf.header, leaf.version):
        yield Finding(
            leaf.game, 0, "wrong_game", f"its header is not the one that a checkpoint has at version {leaf.version}"
        )
    elif leaf.head is None:
        yield Finding(
            leaf.game,
            leaf.last + 1,
            "record_shorter",
            f"a checkpoint has it at version {leaf.version}, and its log ends at {leaf.last}",
        )
    elif entry != leaves.entry(leaf.header, leaf.version, said, leaf.head):
        yield Finding(
            leaf.game,
            leaf.version,
            "record_changed",
            f"entry {leaf.version}, or one before it, is not the one that a checkpoint has",
        )
    elif leaf.finished and not (leaf.is_over and leaf.version == leaf.last):
        yield Finding(leaf.game, leaf.version, "reopened", f"a checkpoint has it as over at version {leaf.version}")
    elif not leaf.finished and leaf.is_over and leaf.version == leaf.last:
        yield Finding(
            leaf.game, leaf.version, "status_wrong", f"a checkpoint has it as running at version {leaf.version}"
        )
