"""Read the messages at a table, those that are new to somebody about to be mailed, and a player's own notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import select, text
from sqlalchemy.orm import Session

from service.queries.table_access import COLUMNS, JOINS, TableAccess
from service.store.autocommit_pool import Statements, statements
from service.store.blocks import has_blocked
from service.store.callers import Caller, by_caller
from service.store.talk import Note

MOST_TOLD = 20
"""The maximum of messages of a table in one mail, the newest."""

MOST_NOTES = 10
"""The maximum of notes in one mail, the newest."""


class TableMessage(NamedTuple):
    """A message.

    Attributes:
        number: its number at the table.
        seat: the author's seat; None if the author has left the table.
        name: the author's name; None if unset or erased.
        at: when it was sent.
        said: the text; None if erased.
        author_id: the id by which others know the author; None if erased, and in mails.
    """

    number: int
    seat: int | None
    name: str | None
    at: datetime
    said: str | None
    author_id: str | None = None


@dataclass(frozen=True, slots=True)
class NewMessages:
    """The messages of others that no mail has brought to a reader, the oldest first.

    Before mailing them, call `service.commands.talk.claim`; once the mail was sent, call `mark_mailed` there.

    Attributes:
        game: the key of the table.
        told: the number of the last message that was mailed to the reader.
        messages: the messages.
        earlier: how many older ones were left out.
    """

    game: int = 0
    told: int = 0
    messages: tuple[TableMessage, ...] = ()
    earlier: int = 0


@dataclass(frozen=True, slots=True)
class Notes:
    """The texts of a player's notes, the oldest first, and how many earlier ones were left out."""

    texts: tuple[str, ...] = ()
    earlier: int = 0


SAID = f"""
       SELECT message.number, seats.seat, accounts.name, message.at, message.text,
              CASE WHEN accounts.erased_at IS NULL THEN accounts.id END AS author_id
         FROM messages message
         JOIN accounts ON accounts.id = message.account
         LEFT JOIN seats ON seats.game = message.game AND seats.account = message.account
        WHERE message.game = tables.key AND message.number < %(before)s
          AND NOT {has_blocked("caller.account", "message.account")}
        ORDER BY message.number DESC LIMIT %(limit)s
"""
"""The SQL for the messages at the table `tables` that the account of `caller` may see, newest first."""

_MESSAGES = by_caller(f"""
SELECT {COLUMNS}, epoch.value, said.number, said.seat, said.name, said.at, said.text,
       said.author_id
  FROM epoch CROSS JOIN {{caller}}{JOINS}
  LEFT JOIN LATERAL ({SAID}) AS said ON true
 ORDER BY said.number DESC
""")
BEHIND_ALL = 2**31 - 1
"""A number behind those of all messages."""


class TalkPage(NamedTuple):
    """A page of the messages at a table, the caller's access to the table, and the epoch of the data."""

    access: TableAccess
    epoch: str
    messages: list[TableMessage]


def messages(store: Session | Statements, caller: Caller, table: str, before: int | None, limit: int) -> TalkPage:
    """Return messages at a table, given by its id, newest first, after the one with number `before`.

    Those of authors whom the caller has blocked are left out.
    """
    asked = {"table": table, "before": BEHIND_ALL if before is None else before, "limit": limit}
    rows = statements(store).rows(_MESSAGES[type(caller)], caller.arguments(**asked))
    found = [TableMessage._make(row[7:]) for row in rows if row[7] is not None]
    return TalkPage(TableAccess._make(rows[0][:6]), rows[0][6], found)


_NEW = f"""
    SELECT message.number, seats.seat, accounts.name, message.at, message.text, count(*) OVER (), coalesce(mine.told, 0)
      FROM messages message
      JOIN accounts ON accounts.id = message.account
      LEFT JOIN seats ON seats.game = message.game AND seats.account = message.account
      LEFT JOIN listeners mine ON mine.account = :account AND mine.game = :game
     WHERE message.game = :game AND message.number > coalesce(mine.told, 0) AND mine.muted IS NOT TRUE
       AND message.account <> :account AND message.text IS NOT NULL
       AND NOT {has_blocked(":account", "message.account")}
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


def heard(session: Session, game: int, account: str) -> NewMessages:
    """Return the messages of others that no mail has brought to the account, or none if the table is muted.

    Those of authors whom the account has blocked are left out.
    """
    rows = session.execute(_HEARD, {"game": game, "account": account, "most": MOST_TOLD}).all()
    return _heard(game, rows[::-1])


def heard_and_noted(session: Session, game: int, account: str) -> tuple[NewMessages, Notes]:
    """Return the messages that no mail has brought to the account, together with its own notes at that table.

    Both are read by one statement, because nearly all turn mails have neither.
    """
    limits = {"most": MOST_TOLD, "most_notes": MOST_NOTES}
    rows = session.execute(_HEARD_AND_NOTED, {"game": game, "account": account, **limits}).all()
    said = [row for row in rows if row[0] is not None]
    noted = [row for row in rows if row[0] is None]
    notes = Notes(tuple(row[4] for row in noted), noted[0][5] - len(noted)) if noted else Notes()
    return _heard(game, said), notes


def _heard(game: int, rows: Sequence[Sequence[Any]]) -> NewMessages:
    """Build the result from rows in the order of the messages."""
    if not rows:
        return NewMessages()
    return NewMessages(game, rows[0][6], tuple(TableMessage(*row[:5]) for row in rows), rows[0][5] - len(rows))


NOTED = """
       SELECT id, at, text FROM notes
        WHERE notes.account = caller.account AND notes.game = tables.key
          AND (at, id) < (CAST(%(at)s AS timestamptz), CAST(%(id)s AS text))
        ORDER BY at DESC, id DESC LIMIT %(limit)s
"""
"""The SQL for the notes that the account of `caller` has at the table `tables`, newest first."""

_NOTES = by_caller(f"""
SELECT {COLUMNS}, epoch.value, noted.id, noted.at, noted.text
  FROM epoch CROSS JOIN {{caller}}{JOINS}
  LEFT JOIN LATERAL ({NOTED}) AS noted ON true
 ORDER BY noted.at DESC, noted.id DESC
""")


class OwnNote(NamedTuple):
    """A private note."""

    id: str
    at: datetime
    text: str


class NotePage(NamedTuple):
    """A page of the caller's notes at a table, the caller's access to the table, and the epoch of the data."""

    access: TableAccess
    epoch: str
    notes: list[OwnNote]


def own_note(session: Session, game: int, account: str, id: str) -> Note | None:
    """Return one of the account's own notes at a table, given by its key; None if there is no such note."""
    return session.scalar(select(Note).where(Note.id == id, Note.account == account, Note.game == game))


def kept_notes(
    store: Session | Statements, caller: Caller, table: str, before: tuple[datetime, str] | None, limit: int
) -> NotePage:
    """Return the caller's notes at a table, given by its id, newest first, after the one with time and id `before`."""
    at, last = before or ("infinity", "")
    asked = {"table": table, "at": at, "id": last, "limit": limit}
    rows = statements(store).rows(_NOTES[type(caller)], caller.arguments(**asked))
    found = [OwnNote._make(row[7:]) for row in rows if row[7] is not None]
    return NotePage(TableAccess._make(rows[0][:6]), rows[0][6], found)
