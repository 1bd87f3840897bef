"""Talk at a table: saying something to all who sit there, noting something for oneself, hearing no more of it by mail.

Nobody is mailed for it while the game goes on: what was said goes with each reader's next turn mail, digest or end mail.
Where no such mail is to come any more, what was said goes by a mail of its own, once an hour to each reader.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from engine.saying import said
from service.access import spoken
from service.access.limits import Limit, Limiter
from service.access.misfit import Misfit
from service.commands import tables
from service.commands.talk_mail import call_for_all
from service.errors import LimitReached, Malformed, NotFound
from service.ids import new_id
from service.queries.talk import Heard
from service.store import talk
from service.store.tables import Seat, Table
from service.store.talk import Message, Note

MOST_NOTES = 200
"""How many notes somebody may keep at one table."""


@dataclass(frozen=True)
class Limits:
    """How many messages an hour an account may write; 0 is no limit."""

    limiter: Limiter
    per_account: int


def say(session: Session, game: str, account: str, text: str, now: datetime, limits: Limits | None = None) -> Message:
    """Say something to the table with this id, at which the account must sit; at an open table or after the end too. The
    text is tidied first, as that of a mail needs it (`service.access.spoken.tidied`).

    Refuses: a text that `service.access.spoken` does not take, who has no seat, a solo, a closed table, and whoever has
    written too much (without `limits`: nobody).
    """
    kept = _checked(text)
    table = _held(session, game, account)
    if table.kind == "solo":
        raise tables.conflict(session, table, "alone", "You play alone here; write a note, which is for yourself.")
    tables.check_not_closed(session, table)
    if limits is not None:
        _count(session, limits, account)
    message = talk.add(session, table.key, account, kept, now)
    if table.status == "finished":
        call_for_all(session, table, now, but=account)
    return message


def note(session: Session, game: str, account: str, text: str, now: datetime) -> Note:
    """Note something for oneself at a game or solo that the account plays; it stands in its own turn mails alone. The
    text is tidied first.

    Refuses: a text that `service.access.spoken` does not take, who has no seat, a note too many.
    """
    kept = _checked(text)
    table = _held(session, game, account)
    mine = (Note.account == account, Note.game == table.key)
    if (session.scalar(select(func.count()).where(*mine)) or 0) >= MOST_NOTES:
        detail = said("You have %(most)s notes at this table, and more are not kept; delete some.", most=MOST_NOTES)
        raise tables.conflict(session, table, "too_many_notes", detail)
    made = Note(id=new_id(), account=account, game=table.key, at=now, text=kept)
    session.add(made)
    session.flush()
    return made


def tear_out(session: Session, game: int, account: str, id: str) -> None:
    """Delete one of one's own notes at a table (by its key); NotFound if there is none such."""
    mine = (Note.account == account, Note.game == game, Note.id == id)
    if session.scalar(delete(Note).where(*mine).returning(Note.id)) is None:
        raise NotFound("no_such_note", "You have no such note at this table.")


def mute(session: Session, game: str, account: str, on: bool) -> None:
    """From now on (or with `on` false: from now on no more) the account's mails leave out what others say at this table,
    at which it must sit. What was said meanwhile is not told later."""
    table = _held(session, game, account)
    talk.set_muted(session, account, table.key, on)


def tell(session: Session, account: str, heard: Heard, mail: str, now: datetime) -> Heard:
    """What of this the mail with this key is to tell the account: all of it, or nothing, as another mail is about to. So
    each is told once, however many mails are on their way; what a mail tells that never leaves is told by a later one."""
    if heard.messages and not talk.tell(session, account, heard.game, heard.told, mail, now):
        return Heard()
    return heard


def told(session: Session, account: str, heard: Heard, mail: str) -> None:
    """The mail with this key, which tells this, has left for the account: no later one tells it again."""
    if heard.messages:
        talk.told(session, account, heard.game, heard.messages[-1].number, mail)


def _held(session: Session, game: str, account: str) -> Table:
    """The table, if the account sits at it; the account is held against its deletion until the commit."""
    tables.hold(session, account)
    table = session.scalar(select(Table).where(Table.id == game))
    if table is None:
        raise tables.unknown()
    seat = select(Seat.seat).where(Seat.game == table.key, Seat.account == account)
    if session.scalar(seat) is None:
        raise tables.not_seated()
    return table


def _checked(text: str) -> str:
    try:
        return spoken.check(spoken.tidied(text))
    except Misfit as misfit:
        raise Malformed("text_unfit", misfit.said) from None


def _count(session: Session, limits: Limits, account: str) -> None:
    most = limits.per_account
    if wait := limits.limiter.hit(Limit.MESSAGES_PER_ACCOUNT, most, account, session):
        detail = said(
            "You have written %(amount)s messages within an hour, and more are not allowed; try again later.",
            amount=most,
        )
        raise LimitReached("too_many_messages", detail, retry_after=wait)
