"""Show the host the state of the checkpoint logs, and what keeps them from growing."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy.orm import Session

from engine.record import stamp
from service.checkpoints.encoding import to_base64
from service.commands import checkpoint_logs, checkpoint_signing
from service.commands.checkpoint_folder import NoteFolder
from service.config import Settings
from service.errors import Refusal
from service.store import checkpoints
from service.store.checkpoints import Log

_LATE = timedelta(hours=1)
"""How long after it is due a batch is reported as missing."""


class Status(NamedTuple):
    """The state of all logs as lines of text, and a sentence for each problem."""

    lines: list[str]
    problems: list[str]


def read(session: Session, settings: Settings, now: datetime) -> Status:
    """Return the state of all logs. Witnesses are not asked."""
    status = Status([], [])
    logs = checkpoints.logs(session)
    for log in logs:
        _add(session, log, status)
    if not logs:
        status.lines.append("no log has begun; the first batch begins it, once there is a table")
    status.lines.append(f"next batch at {stamp(checkpoint_logs.due_after(now, settings.checkpoint_every))}")
    if not settings.checkpoint_keys:
        status.problems.append("NOVALUNA_CHECKPOINT_KEYS is not set, so no checkpoints are made")
    elif logs and checkpoint_logs.is_due(session, now - _LATE, settings.checkpoint_every):
        status.problems.append("a batch was due more than an hour ago; the worker's log says why there is none")
    if logs and logs[-1].closed_at is None:
        if logs[-1].origin != checkpoint_logs.origin(settings.base_url, logs[-1].number):
            status.lines.append(f"the host has moved since log {logs[-1].number} began, which keeps its origin")
        _check(session, settings, logs[-1], status)
    return status


def _add(session: Session, log: Log, status: Status) -> None:
    closed = "open" if log.closed_at is None else f"closed at {stamp(log.closed_at)}"
    status.lines.append(f"log {log.number}: {log.origin}, {closed}")
    for key in checkpoints.keys(session, log.number):
        status.lines.append(f"  key {key.vkey}, since {stamp(key.added_at)}")
    note = checkpoints.newest_note(session, log.number)
    if note is not None:
        witnesses = ", ".join(note.witnesses) or "no witness"
        status.lines.append(f"  size {note.size}, root {to_base64(note.root)}, {stamp(note.signed_at)}, {witnesses}")
    if checkpoint_signing.unsigned(session, log) is not None:
        status.lines.append("  a batch is stored and not signed")
    elif checkpoint_signing.unpublished(session, log) is not None:
        status.lines.append("  a checkpoint is signed, and waits for witnesses")


def _check(session: Session, settings: Settings, log: Log, status: Status) -> None:
    try:
        checkpoint_logs.check(session, NoteFolder(settings.data_dir), log)
    except Refusal as refusal:
        status.problems.append(f"{refusal.code}: {refusal.detail}")
