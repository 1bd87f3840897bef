"""Read the messages at a table, those that are new to somebody about to be mailed, and a player's own notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import select, text, tuple_
from sqlalchemy.orm import Session

from service.store.accounts import Account
from service.store.tables import Seat
from service.store.talk import Message, Note

MOST_TOLD = 20
"""The maximum of messages of a table in one mail, the newest."""

MOST_NOTES = 10
"""The maximum of notes in one mail, the newest."""


class Spoken(NamedTuple):
    """A message.

    Attributes:
        number: its number at the table.
        seat: the author's seat; None if the author has left the table.
        name: the author's name; None if unset or erased.
        at: when it was sent.
        said: the text; None if erased.
    """

    number: int
    seat: int | None
    name: str | None
    at: datetime
    said: str | None


@dataclass(frozen=True, slots=True)
class Heard:
    """The messages of others that no mail has brought to a reader, the oldest first.

    Before mailing them, call `service.commands.talk.tell`; once the mail was sent, call `told` there.

    Attributes:
        game: the key of the table.
        told: the number of the last message that was mailed to the reader.
        messages: the messages.
        earlier: how many older ones were left out.
    """

    game: int = 0
    told: int = 0
    messages: tuple[Spoken, ...] = ()
    earlier: int = 0


@dataclass(frozen=True, slots=True)
class Notes:
    """The texts of a player's notes, the oldest first, and how many earlier ones were left out."""

    texts: tuple[str, ...] = ()
    earlier: int = 0


def messages(session: Session, game: int, before: int | None, limit: int) -> list[Spoken]:
    """Return messages at the table with this key, newest first, after the one with number `before`."""
    query = (
        select(Message.number, Seat.seat, Account.name, Message.at, Message.text)
        .join(Account, Account.id == Message.account)
        .outerjoin(Seat, (Seat.game == Message.game) & (Seat.account == Message.account))
        .where(Message.game == game)
    )
    if before is not None:
        query = query.where(Message.number < before)
    return [Spoken(*row) for row in session.execute(query.order_by(Message.number.desc()).limit(limit))]


_NEW = """
    SELECT message.number, seats.seat, accounts.name, message.at, message.text, count(*) OVER (), coalesce(mine.told, 0)
      FROM messages message
      JOIN accounts ON accounts.id = message.account
      LEFT JOIN seats ON seats.game = message.game AND seats.account = message.account
      LEFT JOIN listeners mine ON mine.account = :account AND mine.game = :game
     WHERE message.game = :game AND message.number > coalesce(mine.told, 0) AND mine.muted IS NOT TRUE
       AND message.account <> :account AND message.text IS NOT NULL
     ORDER BY message.number DESC LIMIT :most
"""

_NOTED = """
    SELECT CAST(NULL AS int), CAST(NULL AS int), id, at, text, count(*) OVER (), CAST(NULL AS int)
      FROM notes WHERE account = :account AND game = :game
     ORDER BY at DESC, id DESC LIMIT :most_notes
"""

_HEARD = text(_NEW)
_HEARD_AND_NOTED = text(f"""
    SELECT * FROM (({_NEW}) UNION ALL ({_NOTED})) AS told (number, seat, name, at, text, of_all, told)
     ORDER BY number, at, name
""")


def heard(session: Session, game: int, account: str) -> Heard:
    """Return the messages of others that no mail has brought to the account, or none if the table is muted."""
    rows = session.execute(_HEARD, {"game": game, "account": account, "most": MOST_TOLD}).all()
    return _heard(game, rows[::-1])


def heard_and_noted(session: Session, game: int, account: str) -> tuple[Heard, Notes]:
    """Return such messages together with the account's own notes at that table.

    Both are read by one statement, because nearly all turn mails have neither.
    """
    limits = {"most": MOST_TOLD, "most_notes": MOST_NOTES}
    rows = session.execute(_HEARD_AND_NOTED, {"game": game, "account": account, **limits}).all()
    said = [row for row in rows if row[0] is not None]
    noted = [row for row in rows if row[0] is None]
    notes = Notes(tuple(row[4] for row in noted), noted[0][5] - len(noted)) if noted else Notes()
    return _heard(game, said), notes


def _heard(game: int, rows: Sequence[Sequence[Any]]) -> Heard:
    """Build the result from rows in the order of the messages."""
    if not rows:
        return Heard()
    return Heard(game, rows[0][6], tuple(Spoken._make(row[:5]) for row in rows), rows[0][5] - len(rows))


def kept_notes(
    session: Session, game: int, account: str, before: tuple[datetime, str] | None, limit: int
) -> Sequence[Note]:
    """Return the account's notes at the table with this key, newest first, after the one with time and id `before`."""
    query = select(Note).where(Note.account == account, Note.game == game)
    if before is not None:
        query = query.where(tuple_(Note.at, Note.id) < tuple_(*before))
    return session.scalars(query.order_by(Note.at.desc(), Note.id.desc()).limit(limit)).all()
