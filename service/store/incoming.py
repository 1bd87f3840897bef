"""Store the mails that people send to the service.

A mail is `waiting` until it is read, in one transaction with all of its effects. Then it is `read`, with its outcome,
until the reply was sent. By then its text and its sender are deleted. Its digest is kept for 35 days, so that a relay
that sends it again has no effect.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, text
from sqlalchemy.orm import Session

from service.access.reply_addresses import (
    Recipient,
    ToBounces,
    ToCode,
    ToInvitation,
    ToReading,
    ToService,
    ToSilencing,
    ToTable,
)
from service.store.purging import deleted

KEPT = timedelta(days=35)
"""The time that digests are kept, longer than any relay retries."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """A mail to be read.

    Attributes:
        id: its number.
        received_at: when it was received.
        to: what its recipient address stands for.
        sender: the envelope sender, without < and >; empty for a bounce.
        authentication: the relay's results by method (`spf`, `dkim`, `dmarc`), such as `pass` or `fail`.
        raw: its bytes, without the service's own secrets.
    """

    id: int
    received_at: datetime
    to: Recipient
    sender: str
    authentication: Mapping[str, str]
    raw: bytes


_CELLS = 256
"""A number above that of the open cells of any display, as a move to confirm is stored as one number."""

_ADD = text("""
    INSERT INTO incoming (digest, received_at, kind, about, seat, version, head, reading, sender, authentication, raw,
                          state, at)
    VALUES (:digest, :now, :kind, :about, :seat, :version, :head, :reading, :sender, CAST(:authentication AS jsonb),
            :raw, 'waiting', :now)
    ON CONFLICT (digest) DO NOTHING
    RETURNING id
""")


def add(
    session: Session,
    digest: bytes,
    to: Recipient,
    sender: str,
    authentication: Mapping[str, str],
    raw: bytes,
    now: datetime,
) -> int | None:
    """Store a mail until it is read; return its id, or None if a mail with this digest is stored already.

    If another transaction is about to store it, this waits for that.
    """
    values = _columns(to) | {
        "digest": digest,
        "sender": sender,
        "authentication": json.dumps(dict(authentication)),
        "raw": raw,
        "now": now,
    }
    id: int | None = session.execute(_ADD, values).scalar()
    return id


_WAITING = text("SELECT raw, sender FROM incoming WHERE id = :id AND state = 'waiting'")


def waiting(session: Session, id: int) -> tuple[bytes, str] | None:
    """Return the bytes and the envelope sender of the mail with this id, or None if it was read already or is gone."""
    row = session.execute(_WAITING, {"id": id}).one_or_none()
    return None if row is None else (row.raw, row.sender)


_HOLD = text("""
    SELECT id, received_at, kind, about, seat, version, head, reading, sender, authentication, raw
      FROM incoming WHERE id = :id AND state = 'waiting' FOR UPDATE
""")


def hold(session: Session, id: int) -> Incoming | None:
    """Return the mail with this id, locked until the transaction ends, or None if it was read already or is gone."""
    row = session.execute(_HOLD, {"id": id}).one_or_none()
    if row is None:
        return None
    return Incoming(row.id, row.received_at, _recipient(row), row.sender, row.authentication, row.raw)


_READ = text("""
    UPDATE incoming SET state = 'read', outcome = CAST(:outcome AS jsonb), raw = NULL, sender = NULL, at = :now
     WHERE id = :id AND state = 'waiting'
""")


def read(session: Session, id: int, outcome: Mapping[str, Any] | None, now: datetime) -> None:
    """Mark a mail as read; `outcome` is the reply as JSON data without secrets, or None for no reply."""
    session.execute(_READ, {"id": id, "outcome": json.dumps(outcome) if outcome is not None else None, "now": now})


_OUTCOME = text("SELECT outcome FROM incoming WHERE id = :id AND state = 'read'")


def outcome(session: Session, id: int) -> dict[str, Any] | None:
    """Return the outcome to reply to the mail with this id, or None if there is nothing to reply any more."""
    found: dict[str, Any] | None = session.execute(_OUTCOME, {"id": id}).scalar()
    return found


_TOLD = text("""
    UPDATE incoming SET outcome = jsonb_set(outcome, '{due}', (outcome -> 'due') - CAST(:whom AS text))
     WHERE id = :id AND state = 'read' RETURNING outcome -> 'due' = '[]'
""")


def told(session: Session, id: int, whom: str, now: datetime) -> None:
    """Record that one of the recipients in the outcome's `due` got a reply; after the last, the mail is answered."""
    if session.execute(_TOLD, {"id": id, "whom": whom}).scalar():
        answered(session, id, now)


_ANSWERED = text(
    "UPDATE incoming SET state = 'answered', outcome = NULL, at = :now WHERE id = :id AND state <> 'waiting'"
)


def answered(session: Session, id: int, now: datetime) -> None:
    """Record that the reply to the mail with this id was sent, or will not be sent."""
    session.execute(_ANSWERED, {"id": id, "now": now})


_PURGE = text("""
    DELETE FROM incoming WHERE received_at <= :past
       AND ctid = ANY (ARRAY(SELECT ctid FROM incoming WHERE received_at <= :past LIMIT :most))
""")


def purge(session: Session, now: datetime, most: int) -> int:
    """Delete at most `most` expired mails, and return how many were deleted."""
    return deleted(session, _PURGE, past=now - KEPT, most=most)


def _columns(to: Recipient) -> dict[str, str | int | None]:
    columns: dict[str, str | int | None] = {"about": None, "seat": None, "version": None, "reading": None, "head": None}
    match to:
        case ToService():
            return columns | {"kind": "service"}
        case ToTable(game, seat, version, leaving, head):
            kind = "leave" if leaving else "play"
            return columns | {"kind": kind, "about": game, "seat": seat, "version": version, "head": head or None}
        case ToReading(table, choice, cell):
            return _columns(table) | {"reading": choice * _CELLS + cell}
        case ToSilencing(game, seat, version, what):
            return columns | {"kind": what, "about": game, "seat": seat, "version": version}
        case ToCode(code):
            return columns | {"kind": "code", "about": code}
        case ToInvitation(invitation):
            return columns | {"kind": "invitation", "about": invitation}
        case ToBounces(reference):
            return columns | {"kind": "bounce", "about": reference}


def _recipient(row: Row[Any]) -> Recipient:
    match row.kind:
        case "play" | "leave":
            table = ToTable(row.about, row.seat, row.version, leaving=row.kind == "leave", head=row.head or "")
            return table if row.reading is None else ToReading(table, *divmod(row.reading, _CELLS))
        case "stop" | "mute":
            return ToSilencing(row.about, row.seat, row.version, row.kind)
        case "code":
            return ToCode(row.about)
        case "invitation":
            return ToInvitation(row.about)
        case "bounce":
            return ToBounces(row.about)
        case _:
            return ToService()
