"""What was said at a table: for who reads it all, and what is new to somebody who is about to be mailed; own notes."""

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
"""Messages of a table that one mail tells; of more, the newest."""

MOST_NOTES = 10
"""Notes that one mail shows, the newest."""


class Spoken(NamedTuple):
    """A message. `seat` is its author's, None for one who has left the table; `name` is None when unset or erased, `said`
    when erased."""

    number: int
    seat: int | None
    name: str | None
    at: datetime
    said: str | None


@dataclass(frozen=True, slots=True)
class Heard:
    """What others said that one reader was not told yet, the oldest first, and how many `earlier` ones there are besides;
    `game` is the key of the table, `told` the number up to which the reader has been told.

    Whoever mails it asks `service.commands.talk.tell` first, and calls `told` there once the mail has left.
    """

    game: int = 0
    told: int = 0
    messages: tuple[Spoken, ...] = ()
    earlier: int = 0


@dataclass(frozen=True, slots=True)
class Notes:
    """The texts of somebody's notes, the oldest first, and how many `earlier` ones there are besides."""

    texts: tuple[str, ...] = ()
    earlier: int = 0


def messages(session: Session, game: int, before: int | None, limit: int) -> list[Spoken]:
    """What was said at the table with this key, the newest first, behind the message with number `before`."""
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
    """What others said at the table with this key that the account was told by no mail yet; nothing if it is muted."""
    rows = session.execute(_HEARD, {"game": game, "account": account, "most": MOST_TOLD}).all()
    return _heard(game, rows[::-1])


def heard_and_noted(session: Session, game: int, account: str) -> tuple[Heard, Notes]:
    """The same, and what the account noted for itself at that table, as one mail shows both: one statement, since nearly
    all turn mails have neither."""
    limits = {"most": MOST_TOLD, "most_notes": MOST_NOTES}
    rows = session.execute(_HEARD_AND_NOTED, {"game": game, "account": account, **limits}).all()
    said = [row for row in rows if row[0] is not None]
    noted = [row for row in rows if row[0] is None]
    notes = Notes(tuple(row[4] for row in noted), noted[0][5] - len(noted)) if noted else Notes()
    return _heard(game, said), notes


def _heard(game: int, rows: Sequence[Sequence[Any]]) -> Heard:
    """Of rows in the order in which it was said."""
    if not rows:
        return Heard()
    return Heard(game, rows[0][6], tuple(Spoken._make(row[:5]) for row in rows), rows[0][5] - len(rows))


def kept_notes(
    session: Session, game: int, account: str, before: tuple[datetime, str] | None, limit: int
) -> Sequence[Note]:
    """The account's notes at the table with this key, the newest first, behind the one with time and id `before`."""
    query = select(Note).where(Note.account == account, Note.game == game)
    if before is not None:
        query = query.where(tuple_(Note.at, Note.id) < tuple_(*before))
    return session.scalars(query.order_by(Note.at.desc(), Note.id.desc()).limit(limit)).all()
