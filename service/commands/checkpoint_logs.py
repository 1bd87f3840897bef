"""Begin, check and close logs of checkpoints, and enter their keys.

A log has one history. If the database has gone back behind a checkpoint that was signed, as after a restored backup,
the log cannot go on: the host closes it, and the next log begins with an origin of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from sqlalchemy.orm import Session

from service.checkpoints.endorsements import endorsement
from service.checkpoints.keys import SigningKey
from service.commands.checkpoint_folder import FolderNotMade, NoteFolder
from service.store import checkpoints
from service.store.checkpoints import Key, Log

FIRST = timedelta(minutes=10)
"""The time of day, in UTC, of the first batch of a day."""

_DAY = timedelta(days=1)

_NEXT = "Close the log, so that the next one begins: novaluna checkpoints close --reason TEXT"


class RolledBack(FolderNotMade):
    """The database has gone back behind a checkpoint that was signed, or has another tree."""

    def __init__(self, log: int, why: str) -> None:
        super().__init__("checkpoint_rolled_back", f"No checkpoint can be signed in log {log}: {why}. {_NEXT}")


def origin(base_url: str, number: int) -> str:
    """Return the origin of a log that begins on this host: its address without the scheme, and the log's path."""
    return f"{urlsplit(base_url).netloc}/v1/checkpoints/{number}"


def due_before(now: datetime, hours: int) -> datetime:
    """Return the last time at which a batch was due: every `hours` from ten past midnight on, in UTC."""
    first = now.replace(hour=0, minute=0, second=0, microsecond=0) + FIRST
    if now < first:
        first -= _DAY
        return first + (_DAY - timedelta(microseconds=1)) // timedelta(hours=hours) * timedelta(hours=hours)
    return first + (now - first) // timedelta(hours=hours) * timedelta(hours=hours)


def due_after(now: datetime, hours: int) -> datetime:
    """Return the next time at which a batch is due."""
    last = due_before(now, hours)
    midnight = last.replace(hour=0, minute=0)
    return min(last + timedelta(hours=hours), midnight + _DAY + FIRST)


def is_due(session: Session, now: datetime, hours: int) -> bool:
    """Return whether a batch is due: none was made since the last time for one, and there has been a table by then."""
    due, log = due_before(now, hours), checkpoints.newest_log(session)
    if log is None:
        first = checkpoints.first_table_at(session)
        return first is not None and first < due
    if log.closed_at is not None:
        return log.closed_at < due
    newest = checkpoints.newest_batch(session, log.number)
    return newest is None or newest.made_at < due


def open_log(session: Session, folder: NoteFolder, base_url: str, now: datetime) -> Log:
    """Return the open log, after it was checked; begin the next one if none is open. The caller holds the lock.

    Raises:
        RolledBack: as for `check`.
    """
    log = checkpoints.newest_log(session)
    if log is None and folder.newest_log():
        raise RolledBack(folder.newest_log(), "the data folder has its note, but the database does not know it")
    if log is None or log.closed_at is not None:
        number = max(0 if log is None else log.number, folder.newest_log()) + 1
        return checkpoints.begin_log(session, number, origin(base_url, number), now)
    check(session, folder, log)
    return log


def check(session: Session, folder: NoteFolder, log: Log) -> None:
    """Compare an open log with the newest note in the data folder.

    Raises:
        RolledBack: the note is of a later log, or of a checkpoint that the database does not have, or has with another
            root.
        NotMade: the note cannot be read.
    """
    if folder.newest_log() > log.number:
        raise RolledBack(log.number, f"the data folder has a note of log {folder.newest_log()}")
    noted = folder.read(log.number)
    if noted is None:
        return
    batch = checkpoints.batch_of(session, log.number, noted.size)
    if batch is None:
        raise RolledBack(log.number, f"the data folder has a note of size {noted.size}, which the database lacks")
    if batch.root != noted.root or log.origin != noted.origin:
        raise RolledBack(log.number, f"the note of size {noted.size} in the data folder is that of another tree")


def enter_keys(session: Session, log: Log, keys: Sequence[SigningKey], now: datetime) -> None:
    """Enter those of the signing keys that a log does not have yet, each endorsed by one that it has.

    Raises:
        NotMade: `checkpoint_key_unknown`: the log has keys, and none of these is one of them.
    """
    known = [key.vkey for key in checkpoints.keys(session, log.number)]
    for key in sorted(keys, key=lambda key: key.public.vkey not in known):
        if key.public.vkey in known:
            continue
        old = [other for other in keys if other.public.vkey in known]
        if known and not old:
            raise FolderNotMade(
                "checkpoint_key_unknown",
                f"None of the keys in NOVALUNA_CHECKPOINT_KEYS is one of log {log.number}. Give the key that it has as"
                " the first one, and the new one as the second. If it is lost or stolen, close the log: novaluna"
                " checkpoints close --reason TEXT",
            )
        note = endorsement(key, old) if old else None
        checkpoints.add_key(session, log.number, Key(key.public.vkey, now, note))
        known.append(key.public.vkey)


def close(session: Session, folder: NoteFolder, base_url: str, reason: str, now: datetime) -> int:
    """Close the open log for good, and return its number; the next batch begins the next log.

    A log of which only the data folder knows, as the database was restored to before it began, is closed too.

    Raises:
        NotMade: `no_open_log`.
    """
    checkpoints.lock(session)
    log = checkpoints.newest_log(session)
    if log is not None and log.closed_at is None:
        checkpoints.close_log(session, log.number, reason, now)
        return log.number
    number = folder.newest_log()
    if number <= (0 if log is None else log.number):
        raise FolderNotMade("no_open_log", "No log is open. The next batch begins one: novaluna checkpoints make")
    noted = folder.read(number)
    lost = checkpoints.begin_log(session, number, origin(base_url, number) if noted is None else noted.origin, now)
    checkpoints.close_log(session, lost.number, reason, now)
    return lost.number
