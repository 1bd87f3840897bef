"""Prove, from the tiles of a log, that a game has a leaf in it, and that its tree has only grown."""

from __future__ import annotations

from sqlalchemy.orm import Session

from service.checkpoints import merkle
from service.checkpoints.bundles import Bundle
from service.checkpoints.leaves import FINISHED, RUNNING
from service.checkpoints.proofs import Consistency, Proof
from service.checkpoints.tiles import WIDTH, TileNodes, hashes_of
from service.store import checkpoint_tiles, checkpoints
from service.store.checkpoint_tiles import Leaf
from service.store.checkpoints import Batch, StoredNote


class _EdgedNodes(TileNodes):
    """Nodes of which the roots of the largest subtrees are known, so that the tiles of the right edge are not read."""

    def __init__(self, session: Session, batch: Batch) -> None:
        super().__init__(checkpoint_tiles.fetcher(session, batch.log), batch.size)
        self._known: dict[tuple[int, int], bytes] = {}
        start = 0
        for root in hashes_of(batch.edge):
            height = (batch.size - start).bit_length() - 1
            self._known[height, start >> height] = root
            start += 1 << height

    def node(self, height: int, number: int) -> bytes:
        known = self._known.get((height, number))
        return super().node(height, number) if known is None else known


def nodes(session: Session, batch: Batch) -> TileNodes:
    """Return the nodes of a batch's tree, from which paths are made. A path takes at most one tile of each level."""
    return _EdgedNodes(session, batch)


def consistency(session: Session, batch: Batch, old: int, note: str) -> Consistency:
    """Return the proof that the tree of a batch, whose note is given, begins with that of a smaller size."""
    return Consistency(old, tuple(merkle.consistency_path(old, batch.size, nodes(session, batch).node)), note)


def inclusion(session: Session, batch: Batch, note: StoredNote, leaves: list[Leaf]) -> list[Proof]:
    """Return the proofs of some leaves of a game under a checkpoint: a batch with its note."""
    tree, found = nodes(session, batch), []
    for leaf in leaves:
        entries = checkpoint_tiles.entries(session, batch.log, leaf.at // WIDTH)
        assert entries is not None, "a leaf is added with its tile"
        path = tuple(merkle.inclusion_path(leaf.at, batch.size, tree.node))
        status = FINISHED if leaf.finished else RUNNING
        found.append(Proof(leaf.version, status, entries[leaf.at % WIDTH], leaf.at, path, note.note))
    return found


def bundle(session: Session, game: int, old: int | None = None) -> Bundle | None:
    """Return all proofs of a game under the newest checkpoint that has it; None if there is none.

    With `old`, the size of an older checkpoint of the same log, it also proves that the log has only grown since.
    """
    note, leaves = leaves_of(session, game)
    if note is None:
        return None
    batch = checkpoints.batch_of(session, note.log, note.size)
    assert batch is not None, "a note is of a batch"
    proofs = tuple(proof.text() for proof in inclusion(session, batch, note, leaves))
    return Bundle(proofs, () if old is None else (consistency(session, batch, old, note.note).text(),))


def leaves_of(session: Session, game: int) -> tuple[StoredNote | None, list[Leaf]]:
    """Return the newest checkpoint that has a leaf of a game, and its leaves in there; of the newest log that has any.

    The first is None if no published checkpoint has one.
    """
    for log in reversed(checkpoints.logs(session)):
        note = checkpoints.newest_note(session, log.number)
        if note is None:
            continue
        found = [leaf for leaf in checkpoint_tiles.leaves(session, log.number, game) if leaf.at < note.size]
        if found:
            return note, found
    return None, []


def leaf_at(session: Session, game: int, version: int) -> tuple[StoredNote, Leaf] | None:
    """Return a leaf of a game at a version, and the newest checkpoint of its log; of the newest log that has one."""
    for log in reversed(checkpoints.logs(session)):
        note = checkpoints.newest_note(session, log.number)
        for leaf in checkpoint_tiles.leaves(session, log.number, game):
            if note is not None and leaf.version == version and leaf.at < note.size:
                return note, leaf
    return None
