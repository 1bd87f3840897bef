"""Sign and publish what a batch has stored.

A note is stored before anybody sees it, and in the data folder before that. So after a crash the same note is signed
again: with Ed25519 that gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from service.checkpoints import merkle
from service.checkpoints.keys import SigningKey
from service.checkpoints.notes import Checkpoint, signed
from service.commands.checkpoint_folder import NoteFolder
from service.commands.checkpoint_logs import RolledBack, check
from service.queries.checkpoint_proofs import nodes
from service.store import checkpoints
from service.store.checkpoints import PUBLISHED, SIGNED, Batch, Log, StoredNote


def unsigned(session: Session, log: Log) -> Batch | None:
    """Return the batch of a log that is stored and not signed yet."""
    batch = checkpoints.newest_batch(session, log.number)
    if batch is None or checkpoints.note_of(session, log.number, batch.size, SIGNED) is not None:
        return None
    return batch


def unpublished(session: Session, log: Log) -> StoredNote | None:
    """Return the note of a log that is signed and not published yet."""
    note = checkpoints.newest_note(session, log.number, SIGNED)
    if note is None or checkpoints.note_of(session, log.number, note.size) is not None:
        return None
    return note


def last_signed(session: Session, log: Log, keys: Sequence[SigningKey]) -> StoredNote:
    """Return the newest signed note of a log, or one for the empty tree, which every tree begins with."""
    note = checkpoints.newest_note(session, log.number, SIGNED)
    if note is not None:
        return note
    text = Checkpoint(log.origin, 0, merkle.EMPTY).text()
    return StoredNote(log.number, 0, merkle.EMPTY, signed(text, keys), (), log.begun_at)


def sign(session: Session, log: Log, keys: Sequence[SigningKey], folder: NoteFolder, now: datetime) -> None:
    """Sign the batch that is not signed yet, if there is one. The caller holds the lock.

    Raises:
        RolledBack: the data folder has a note that does not fit, or the tree does not begin with what was signed last.
    """
    batch = unsigned(session, log)
    if batch is None:
        return
    check(session, folder, log)
    before = checkpoints.newest_note(session, log.number, SIGNED)
    if before is not None:
        path = merkle.consistency_path(before.size, batch.size, nodes(session, batch).node)
        if not merkle.is_consistent(before.size, batch.size, before.root, batch.root, path):
            raise RolledBack(
                log.number, f"the stored tree of size {batch.size} does not continue that of {before.size}"
            )
    note = signed(Checkpoint(log.origin, batch.size, batch.root).text(), keys)
    folder.write(log.number, note)
    checkpoints.add_note(session, log.number, batch.size, SIGNED, note, now)


def publish(session: Session, log: Log, size: int, note: str, witnesses: Sequence[str], now: datetime) -> None:
    """Publish a note, with the cosignatures that it has, unless that is done already. The caller holds the lock."""
    if checkpoints.note_of(session, log.number, size) is None:
        checkpoints.add_note(session, log.number, size, PUBLISHED, note, now, witnesses)
