"""List the invitations to a table, for the player who made it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select, tuple_
from sqlalchemy.orm import Session

from service.store.invitations import Invitation


def listed(session: Session, game: int, before: tuple[datetime, str] | None, limit: int) -> Sequence[Invitation]:
    """Return invitations to the table with this key, newest first, after the one with time and id `before`."""
    query = select(Invitation).where(Invitation.game == game)
    if before is not None:
        query = query.where(tuple_(Invitation.created_at, Invitation.id) < tuple_(*before))
    return session.scalars(query.order_by(Invitation.created_at.desc(), Invitation.id.desc()).limit(limit)).all()
