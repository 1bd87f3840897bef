"""Read and write the logs of checkpoints, their batches, keys and notes (migration 0034).

Everything here is only ever added to. `service.store.checkpoint_tiles` has the trees themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import text
from sqlalchemy.orm import Session

SIGNED, PUBLISHED = "signed", "published"
"""The stages of a checkpoint's note: as the operator signed it, and with the cosignatures, for everybody."""

_LOCK = 1_128_286_021
"""The key of the advisory lock under which checkpoints are made; any fixed number will do."""


class Log(NamedTuple):
    """A log of checkpoints.

    Attributes:
        number: its number, from 1.
        origin: its name, which its notes begin with.
        begun_at: when it began.
        closed_at: when the host closed it; None if it is open.
    """

    number: int
    origin: str
    begun_at: datetime
    closed_at: datetime | None


class Key(NamedTuple):
    """A key of a log, as a vkey, and the note by which an earlier key endorses it; None for the first one."""

    vkey: str
    added_at: datetime
    endorsement: str | None


class Batch(NamedTuple):
    """The state of a tree after a batch: its size, root and edge, and which events were seen when it was made."""

    log: int
    size: int
    root: bytes
    edge: bytes
    leaves: int
    events_to: int
    made_at: datetime


class StoredNote(NamedTuple):
    """The note of a checkpoint at one stage, with the names of the witnesses that cosigned it.

    `signed_at` is when the operator signed it, whatever the stage.
    """

    log: int
    size: int
    root: bytes
    note: str
    witnesses: Sequence[str]
    signed_at: datetime


def lock(session: Session) -> None:
    """Wait until nobody else makes or signs checkpoints, and keep others from it until the transaction ends."""
    session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})


_LOGS = """
    SELECT log, origin, begun_at, closed_at
      FROM checkpoint_logs LEFT JOIN checkpoint_closings USING (log) ORDER BY log
"""


def logs(session: Session) -> list[Log]:
    """Return all logs, oldest first."""
    return [Log(*row) for row in session.execute(text(_LOGS))]


def newest_log(session: Session) -> Log | None:
    """Return the log that began last, open or not; None if there is none yet."""
    return next(reversed(logs(session)), None)


def begin_log(session: Session, number: int, origin: str, now: datetime) -> Log:
    """Begin a log."""
    begin = text("INSERT INTO checkpoint_logs (log, origin, begun_at) VALUES (:log, :origin, :now)")
    session.execute(begin, {"log": number, "origin": origin, "now": now})
    return Log(number, origin, now, None)


def close_log(session: Session, number: int, reason: str, now: datetime) -> None:
    """Close a log for good."""
    close = text("INSERT INTO checkpoint_closings (log, closed_at, reason) VALUES (:log, :now, :reason)")
    session.execute(close, {"log": number, "now": now, "reason": reason})


def keys(session: Session, log: int) -> list[Key]:
    """Return all keys that a log has ever had, oldest first."""
    found = text("""
        SELECT vkey, added_at, endorsement FROM checkpoint_keys WHERE log = :log
         ORDER BY added_at, endorsement IS NOT NULL, vkey
    """)
    return [Key(*row) for row in session.execute(found, {"log": log})]


def add_key(session: Session, log: int, key: Key) -> None:
    """Add a key to a log."""
    add = text("INSERT INTO checkpoint_keys (log, vkey, added_at, endorsement) VALUES (:log, :vkey, :at, :endorsement)")
    session.execute(add, {"log": log, "vkey": key.vkey, "at": key.added_at, "endorsement": key.endorsement})


_BATCH = "SELECT log, size, root, edge, leaves, events_to, made_at FROM checkpoint_batches WHERE log = :log"


def newest_batch(session: Session, log: int) -> Batch | None:
    """Return the last batch of a log, signed or not; None if it has none."""
    row = session.execute(text(f"{_BATCH} ORDER BY size DESC LIMIT 1"), {"log": log}).first()
    return None if row is None else Batch(*row)


def batch_of(session: Session, log: int, size: int) -> Batch | None:
    """Return the batch that brought a log to this size; None if there is none."""
    row = session.execute(text(f"{_BATCH} AND size = :size"), {"log": log, "size": size}).first()
    return None if row is None else Batch(*row)


def add_batch(session: Session, batch: Batch) -> None:
    """Add a batch, whose tiles and leaves are in the same transaction."""
    add = text("""
        INSERT INTO checkpoint_batches (log, size, root, edge, leaves, events_to, made_at)
        VALUES (:log, :size, :root, :edge, :leaves, :events_to, :made_at)
    """)
    session.execute(add, batch._asdict())


_NOTE = """
    SELECT log, size, root, note.note, note.witnesses, signed.at
      FROM checkpoint_notes AS note
      JOIN checkpoint_batches USING (log, size)
      JOIN checkpoint_notes AS signed USING (log, size)
     WHERE log = :log AND note.stage = :stage AND signed.stage = 'signed'
"""


def newest_note(session: Session, log: int, stage: str = PUBLISHED) -> StoredNote | None:
    """Return the note of the largest checkpoint of a log at a stage; None if there is none."""
    row = session.execute(text(f"{_NOTE} ORDER BY size DESC LIMIT 1"), {"log": log, "stage": stage}).first()
    return None if row is None else StoredNote(*row)


def note_of(session: Session, log: int, size: int, stage: str = PUBLISHED) -> StoredNote | None:
    """Return the note of the checkpoint of a log with this size at a stage; None if there is none."""
    row = session.execute(text(f"{_NOTE} AND size = :size"), {"log": log, "stage": stage, "size": size}).first()
    return None if row is None else StoredNote(*row)


def notes_below(session: Session, log: int, below: int | None, most: int) -> list[StoredNote]:
    """Return at most `most` published notes of a log with sizes below this one (None: all), largest first."""
    found = text(f"{_NOTE} AND size < coalesce(:below, 9007199254740992) ORDER BY size DESC LIMIT :most")
    rows = session.execute(found, {"log": log, "stage": PUBLISHED, "below": below, "most": most})
    return [StoredNote(*row) for row in rows]


_FIRST = text("""
    SELECT wanted.index, first.size, first.at
      FROM unnest(CAST(:indexes AS bigint[])) AS wanted (index)
     CROSS JOIN LATERAL (
           SELECT size, signed.at
             FROM checkpoint_notes AS published JOIN checkpoint_notes AS signed USING (log, size)
            WHERE log = :log AND published.stage = 'published' AND signed.stage = 'signed' AND size > wanted.index
            ORDER BY size LIMIT 1
           ) AS first
""")


def first_with(session: Session, log: int, indexes: Sequence[int]) -> dict[int, tuple[int, datetime]]:
    """Return, by index, the size of the first published checkpoint that has an entry, and when it was signed."""
    rows = session.execute(_FIRST, {"log": log, "indexes": list(indexes)})
    return {index: (size, at) for index, size, at in rows}


def is_published_between(session: Session, log: int, least: int, end: int | None) -> bool:
    """Return whether a published checkpoint of a log has a size from `least` on, and below `end` if that is given."""
    asked = text("""
        SELECT count(*) > 0 FROM (
            SELECT FROM checkpoint_notes
             WHERE log = :log AND stage = 'published' AND size >= :least AND size < :end LIMIT 1
        ) AS found
    """)
    return bool(session.scalar(asked, {"log": log, "least": least, "end": 2**63 - 1 if end is None else end}))


def add_note(
    session: Session, log: int, size: int, stage: str, note: str, now: datetime, witnesses: Sequence[str] = ()
) -> None:
    """Add the note of a checkpoint at a stage."""
    add = text("""
        INSERT INTO checkpoint_notes (log, size, stage, note, witnesses, at)
        VALUES (:log, :size, :stage, :note, :witnesses, :now)
    """)
    session.execute(
        add, {"log": log, "size": size, "stage": stage, "note": note, "now": now, "witnesses": list(witnesses)}
    )


def first_table_at(session: Session) -> datetime | None:
    """Return when the first table was opened, before which there was nothing to commit to; None if there is none."""
    found: datetime | None = session.scalar(text("SELECT created_at FROM tables ORDER BY key LIMIT 1"))
    return found
