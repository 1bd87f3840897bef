"""Read what a player may note down of a game: the beginning of its header's hash, its last hash, and its checkpoint."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from engine import record
from service.queries import checkpoint_proofs
from service.queries.table import LoadedTable
from service.store import checkpoints
from service.store.log import HEAD_DIGITS


@dataclass(frozen=True, slots=True)
class Commitment:
    """A checkpoint that commits to a game: its log's origin, its size, and how much of the game it has.

    `version` is the last version of the game that it has.
    """

    origin: str
    size: int
    signed_at: datetime
    version: int


@dataclass(frozen=True, slots=True)
class Notice:
    """The facts of a started game that a player may note down.

    Attributes:
        header: the first digits of the header's hash, in hex. Two players of one game see the same.
        version: the number of the last entry.
        head: the hash of that entry, in hex.
        commitment: the newest checkpoint that commits to the game; None if there is none.
        is_going_on: whether checkpoints are made, so that the next one will have the game as it is now.
    """

    header: str
    version: int
    head: str
    commitment: Commitment | None
    is_going_on: bool


def notice(session: Session, table: LoadedTable) -> Notice:
    """Return the notice of a game that has started."""
    assert table.header is not None and table.progress is not None, "it has started"
    note, leaves = checkpoint_proofs.leaves_of(session, table.table.key)
    logs = checkpoints.logs(session)
    commitment = None
    if note is not None:
        origin = next(log.origin for log in logs if log.number == note.log)
        commitment = Commitment(origin, note.size, note.signed_at, leaves[-1].version)
    return Notice(
        record.digest(table.header)[:HEAD_DIGITS],
        table.version,
        table.progress.head.hex(),
        commitment,
        bool(logs) and logs[-1].closed_at is None,
    )
