"""Make, revoke and use links that invite whoever has them to a table.

A link is a signed text, so that nothing of it is stored. Opening it changes nothing; it lets in by a request to join,
or by an invitation that somebody has mailed to an address on its page.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from engine.phrases import Phrase, phrase
from service.access.links import invited_by
from service.access.secrets import Keys
from service.commands import invitations, tables
from service.commands.account_limits import AccountLimits
from service.commands.invitation_limits import InvitationLimits, Invitee, may_mail_stranger
from service.commands.suspensions import is_suspended
from service.errors import NotFound
from service.ids import new_id
from service.store.invitations import Invitation, InvitationLink
from service.store.tables import Table

MOST = 10
"""The most links to a table that are open at a time."""

MOST_EVER = 100
"""The most links that are made to a table, those that have ended included."""

MOST_MAILED = 50
"""The most invitations that are mailed by the page of one link."""

_NO_LONGER = {
    "revoked": Phrase("This invitation link was revoked."),
    "used_up": Phrase("This invitation link has let in as many players as it may."),
    "expired": Phrase("This invitation link has expired."),
    "suspended": Phrase("This invitation link no longer works, because the player who made it may not invite anybody."),
}


def make(
    session: Session,
    account: str,
    table_id: str,
    *,
    uses: int,
    lifetime: timedelta,
    now: datetime,
    bounds: AccountLimits | None = None,
) -> InvitationLink:
    """Make a link to a table on behalf of the player who made the table. Without `bounds` the account has no limit."""
    tables.lock_account(session, account, alone=bounds is not None)
    table = tables.locked_table_of_maker(session, account, table_id)
    tables.check_open(session, table)
    made = session.scalars(select(InvitationLink).where(InvitationLink.game == table.key)).all()
    if len(made) >= MOST_EVER:
        detail = phrase("%(most)s invitation links were made to this table, and no more can be.", most=MOST_EVER)
        raise tables.conflict(session, table, "too_many_links", detail)
    if sum(link.state(now) == "open" for link in made) >= MOST:
        detail = phrase("A table can have at most %(most)s invitation links; revoke one.", most=MOST)
        raise tables.conflict(session, table, "too_many_links", detail)
    if bounds is not None:
        bounds.before_link(session, account, now)
    link = InvitationLink(
        id=new_id(), game=table.key, made_by=account, uses=uses, created_at=now, expires_at=now + lifetime
    )
    session.add(link)
    session.flush()
    session.refresh(link)
    return link


def revoke(session: Session, account: str, table_id: str, link_id: str, now: datetime) -> None:
    """Revoke a link, so that it lets in nobody any more; revoking it twice is allowed."""
    table = tables.locked_table_of_maker(session, account, table_id)
    link = session.get(InvitationLink, link_id)
    if link is None or link.game != table.key:
        raise no_such_link()
    link.revoked_at = link.revoked_at or now
    session.flush()


def find(session: Session, keys: Keys, text: str) -> InvitationLink | None:
    """Return the link with this text, or None if it is not one of ours."""
    id = invited_by(keys, text)
    return None if id is None else session.get(InvitationLink, id, populate_existing=True)


def no_such_link() -> NotFound:
    """Return the refusal of a link that was not made here."""
    return NotFound("no_such_link", Phrase("There is no such invitation link."))


def check_leads_somewhere(session: Session, table: Table, link: InvitationLink, now: datetime) -> None:
    """Refuse a link that is no longer open, or whose table waits for nobody."""
    check_usable(session, table, link, now)
    tables.check_open(session, table)


def check_usable(session: Session, table: Table, link: InvitationLink, now: datetime) -> None:
    """Refuse a link that is no longer open, with a code for each reason."""
    state = "suspended" if is_suspended(session, link.made_by) else link.state(now)
    if state != "open":
        raise tables.conflict(session, table, f"link_{state}", _NO_LONGER[state])


def use(session: Session, table: Table, link: InvitationLink, now: datetime) -> None:
    """Count one more player whom a link lets in at a locked table.

    Raises:
        Conflict: it lets in nobody any more.
    """
    check_usable(session, table, link, now)
    link.used += 1
    session.flush()


def mail(
    session: Session,
    table: Table,
    link: InvitationLink,
    email: str,
    limits: InvitationLimits,
    now: datetime,
    language: str | None = None,
) -> None:
    """Mail an invitation, in a language, to an address that was given on the page of an open link.

    Nothing tells whether it is sent: no second one is while the first one is open, only so many strangers a day may
    have an address mailed, and a link mails `MOST_MAILED` invitations at most. The player who made the link never sees
    the address.
    """
    mailed = select(func.count()).where(Invitation.game == table.key, Invitation.link == link.id)
    if (session.scalar(mailed) or 0) >= MOST_MAILED:
        return
    known = select(Invitation).where(Invitation.game == table.key, Invitation.email == email)
    if any(each.state(now) == "open" for each in session.scalars(known)):
        return
    if not may_mail_stranger(session, limits, Invitee(email=email)):
        return
    invitations.add(session, table, link.made_by, Invitee(email=email), now, link=link.id, language=language)
