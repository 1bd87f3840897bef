"""Send messages at a table, write private notes, and mute messages in mail.

During the game no mail is sent for a message: it is included in each reader's next turn mail, digest or end mail. Where
no such mail will come, messages are mailed on their own, at most once an hour to each reader.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from engine.phrases import phrase
from service.access import free_text
from service.access.invalid_text import InvalidText
from service.access.limits import Hit, Limit, Limiter
from service.commands import tables
from service.commands.talk_mail import queue_for_all
from service.config import Settings
from service.errors import Malformed, NotFound
from service.ids import new_id
from service.queries.talk import NewMessages
from service.store import events, talk
from service.store.tables import Seat, Table
from service.store.talk import Message, Note

MOST_NOTES = 200
"""The maximum of notes that a player may have at one table."""


@dataclass(frozen=True)
class MessageLimits:
    """The number of messages that an account may send in an hour; 0 means no limit."""

    limiter: Limiter
    per_account: int

    @classmethod
    def of(cls, settings: Settings, limiter: Limiter) -> MessageLimits:
        """Return the limits that the settings say."""
        return cls(limiter, settings.limit_messages_per_account)


def say(
    session: Session, game: str, account: str, text: str, now: datetime, limits: MessageLimits | None = None
) -> Message:
    """Send a message to a table at which the account sits, whether it is open, running or finished.

    The text is first cleaned up for mail (`service.access.free_text.tidied`).

    Raises:
        Refusal: an unfit text, no seat, a solo, a closed table, or too many messages (never without `limits`).
    """
    kept = _checked(text)
    table = _held(session, game, account)
    if table.kind == "solo":
        raise tables.conflict(session, table, "alone", "You play alone here; write a note, which is for yourself.")
    tables.check_not_closed(session, table)
    if limits is not None:
        _count(session, limits, account)
    message = talk.add(session, table.key, account, kept, now)
    events.announce_after_commit(session)
    if table.status == "finished":
        queue_for_all(session, table, now, but=account)
    return message


def note(session: Session, game: str, account: str, text: str, now: datetime) -> Note:
    """Write a private note on a game or solo that the account plays. It is shown only in the account's own turn mails.

    The text is first cleaned up, as that of a message is.

    Raises:
        Refusal: an unfit text, no seat, or one note too many.
    """
    kept = _checked(text)
    table = _held(session, game, account, alone=True)
    mine = (Note.account == account, Note.game == table.key)
    if (session.scalar(select(func.count()).where(*mine)) or 0) >= MOST_NOTES:
        detail = phrase("You have %(most)s notes at this table, and more are not kept; delete some.", most=MOST_NOTES)
        raise tables.conflict(session, table, "too_many_notes", detail)
    made = Note(id=new_id(), account=account, game=table.key, at=now, text=kept)
    session.add(made)
    session.flush()
    return made


def delete_note(session: Session, game: int, account: str, id: str) -> None:
    """Delete one of the account's own notes at a table, given by its key.

    Raises:
        NotFound: the account has no such note there.
    """
    mine = (Note.account == account, Note.game == game, Note.id == id)
    if session.scalar(delete(Note).where(*mine).returning(Note.id)) is None:
        raise no_such_note()


def no_such_note() -> NotFound:
    """Return the refusal of a note that is not there, or is somebody else's."""
    return NotFound("no_such_note", "You have no such note at this table.")


def mute(session: Session, game: str, account: str, on: bool) -> None:
    """Leave out messages at this table from the account's mails from now on, or include them again if `on` is false.

    The account must sit there. Messages sent in between are not included later.
    """
    table = _held(session, game, account)
    talk.set_muted(session, account, table.key, on)


def claim(session: Session, account: str, heard: NewMessages, mail: str, now: datetime) -> NewMessages:
    """Claim messages for the mail with this key, and return them; return nothing if another mail has claimed them.

    So each message is mailed once, however many mails are on their way. What is claimed by a mail that is never sent is
    included in a later one.
    """
    if heard.messages and not talk.claim(session, account, heard.game, heard.told, mail, now):
        return NewMessages()
    return heard


def mark_mailed(session: Session, account: str, heard: NewMessages, mail: str) -> None:
    """Record that the mail with this key, which includes these messages, was sent, so no later mail includes them."""
    if heard.messages:
        talk.mark_mailed(session, account, heard.game, heard.messages[-1].number, mail)


def _held(session: Session, game: str, account: str, *, alone: bool = False) -> Table:
    """Return the table if the account sits at it, and lock the account against deletion until the commit.

    With `alone`, others who lock it alone wait, so that what the account has can be counted.
    """
    tables.lock_account(session, account, alone=alone)
    table = session.scalar(select(Table).where(Table.id == game))
    if table is None:
        raise tables.unknown()
    seat = select(Seat.seat).where(Seat.game == table.key, Seat.account == account)
    if session.scalar(seat) is None:
        raise tables.not_seated()
    return table


def _checked(text: str) -> str:
    try:
        return free_text.check(free_text.tidied(text))
    except InvalidText as invalid:
        raise Malformed("text_unfit", invalid.phrase) from None


def _count(session: Session, limits: MessageLimits, account: str) -> None:
    most = limits.per_account
    detail = phrase("You can write at most %(amount)s messages an hour; try again later.", amount=most)
    limits.limiter.require([Hit(Limit.MESSAGES_PER_ACCOUNT, most, account)], "too_many_messages", detail, session)
