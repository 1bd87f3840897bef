"""Read what the mail about new messages is composed from, at the time it is sent.

A job may run long after it was queued, or twice, so the function decides by what is true now, and returns None if there
is nothing to say any more.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.orm import Session

from service.language.people import People
from service.queries import talk
from service.queries.recipients import Recipient, player
from service.queries.table import load
from service.queries.talk import NewMessages


@dataclass(frozen=True, slots=True)
class Talked:
    """Messages at a finished or closed table, for a player who sits there; `version` is that of its game."""

    to: Recipient
    table: str
    people: People
    seat: int
    version: int
    heard: NewMessages
    head: str = ""


def talked(session: Session, game: str, account: str) -> Talked | None:
    """Return the messages that no mail has brought to a player, at a table that sends no other mail any more.

    Returns None if there are none, or if the player was erased or has no seat there.
    """
    table = load(session, game)
    to = player(session, account)
    seat = None if table is None else table.seat_of(account)
    if table is None or to is None or seat is None or table.status not in ("finished", "closed"):
        return None
    heard = talk.heard(session, table.table.key, account)
    if not heard.messages:
        return None
    return Talked(to, game, People(table.names, seat, to.reader.language), seat, table.version, heard, table.head)
