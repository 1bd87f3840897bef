"""Send, withdraw, decline and check invitations."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from engine.phrases import Phrase
from service.access import secrets
from service.access.secrets import Keys
from service.commands import blocks, tables
from service.commands.account_limits import AccountLimits
from service.commands.invitation_events import announce
from service.commands.invitation_limits import InvitationLimits, Invitee, count
from service.errors import NotFound
from service.ids import new_id
from service.store import events, mail_kinds
from service.store.accounts import Account
from service.store.invitations import Invitation
from service.store.queue import defer
from service.store.tables import Table

LIFETIME = timedelta(days=14)

PURPOSE = "invitation"
"""The purpose that an invitation's secret is derived for (`service.access.secrets`)."""

_NO_LONGER = {
    "used": Phrase("The invitation was used."),
    "declined": Phrase("The invitation was declined."),
    "taken_back": Phrase("The invitation was taken back."),
    "expired": Phrase("The invitation has expired."),
}


def invite(
    session: Session,
    account: str,
    table_id: str,
    email: str,
    limits: InvitationLimits,
    now: datetime,
    bounds: AccountLimits | None = None,
) -> Invitation:
    """Invite a normalized address on behalf of the player who made the table; a job sends the mail.

    An address that has unsubscribed, one whose owner and the maker are kept apart by a block, and one to which
    strangers have sent too many, is invited like any other, and is sent nothing.

    Raises:
        Refusal: it is the maker's own address (`yourself`), the address has an open invitation to the table
            (`already_invited`), or as for any change of a table.
    """
    if session.scalar(select(Account.email).where(Account.id == account)) == email:
        raise blocks.yourself(Phrase("That is your own address."))
    return _invite(session, account, table_id, Invitee(email=email), limits, now, bounds)


def invite_player(
    session: Session,
    account: str,
    table_id: str,
    player: str,
    limits: InvitationLimits,
    now: datetime,
    bounds: AccountLimits | None = None,
) -> Invitation:
    """Invite a player, given by id, on behalf of the player who made the table, as `invite` does.

    Raises:
        Refusal: there is no such player (`unknown_player`), it is the maker (`yourself`), the maker has blocked the
            player (`player_blocked`), the player sits there already (`already_seated`), or as for an address.
    """
    blocks.check_other(session, account, player)
    blocks.check_none_blocked(session, account, [player])
    return _invite(session, account, table_id, Invitee(account=player), limits, now, bounds)


def _invite(
    session: Session,
    account: str,
    table_id: str,
    invitee: Invitee,
    limits: InvitationLimits,
    now: datetime,
    bounds: AccountLimits | None,
) -> Invitation:
    tables.lock_account(session, account, alone=bounds is not None)
    table = tables.locked_table_of_maker(session, account, table_id)
    tables.check_open(session, table)
    _check_new(session, table, invitee, now)
    if bounds is not None:
        bounds.before_invitation(session, account, now)
    is_mailed = count(session, limits, account, invitee)
    return add(session, table, account, invitee, now, is_mailed=is_mailed)


def add(
    session: Session,
    table: Table,
    inviter: str,
    invitee: Invitee,
    now: datetime,
    link: str | None = None,
    language: str | None = None,
    is_mailed: bool = True,
) -> Invitation:
    """Store an invitation and queue its mail.

    Args:
        session: the transaction.
        table: the table.
        inviter: the account that invites.
        invitee: who is invited.
        now: the time of the request.
        link: the invitation link by which somebody asked for it; None: the inviter did.
        language: the language in which a stranger is written to; None: the inviter's.
        is_mailed: whether a mail tells of it. A player finds it among the own invitations in any case.
    """
    invitation = Invitation(
        id=new_id(),
        game=table.key,
        email=invitee.email,
        account=invitee.account,
        link=link,
        language=language,
        invited_by=inviter,
        created_at=now,
        expires_at=now + LIFETIME,
    )
    session.add(invitation)
    session.flush()
    if is_mailed:
        lock = mail_kinds.INVITATION.lock(invitation=invitation.id)
        defer(session, "mail_invitation", {"invitation": invitation.id}, queueing_lock=lock)
    announce(session, invitation, now)
    return invitation


def _check_new(session: Session, table: Table, invitee: Invitee, now: datetime) -> None:
    """Refuse to invite somebody who has an open invitation to the table or, if that is a player, a seat there."""
    if invitee.account is not None:
        if any(seat.account == invitee.account for seat in tables.taken_seats(session, table)):
            raise tables.conflict(session, table, "already_seated", "This player sits at the table already.")
        if any(other.account == invitee.account and other.state(now) == "open" for other in _of(session, table)):
            detail = "This player has an open invitation to this table."
            raise tables.conflict(session, table, "already_invited", detail)
    elif any(
        other.email == invitee.email and other.link is None and other.state(now) == "open"
        for other in _of(session, table)
    ):
        raise tables.conflict(session, table, "already_invited", "This address has an open invitation to this table.")


def take_back(session: Session, account: str, table_id: str, invitation_id: str, now: datetime) -> None:
    """Withdraw an invitation on behalf of the player who made the table.

    A used or declined invitation stays as it is, which is a conflict. Withdrawing twice is allowed.
    """
    table = tables.locked_table_of_maker(session, account, table_id)
    invitation = next((each for each in _of(session, table) if each.id == invitation_id), None)
    if invitation is None:
        raise none_such()
    if invitation.state(now) in ("used", "declined"):
        check_usable(session, table, invitation, now)
    if invitation.taken_back_at is None:
        invitation.taken_back_at = now
        session.flush()
        announce(session, invitation, now)


def decline(session: Session, table_id: str, secret: str, keys: Keys, now: datetime) -> None:
    """Decline the invitation with this secret. It needs no account, and declining twice is allowed."""
    table = tables.locked_table(session, table_id)
    invitation = find(session, table, secret, keys)
    if invitation is None:
        raise unknown(table)
    if invitation.state(now) != "declined":
        check_usable(session, table, invitation, now)
        invitation.declined_at = now
        session.flush()
        if table.maker is not None:
            events.add(session, events.INVITATION, game=table.key, account=table.maker, now=now)


def find(session: Session, table: Table, secret: str, keys: Keys) -> Invitation | None:
    """Return the invitation to this table with this secret, or None."""
    return next((each for each in _of(session, table) if secrets.is_secret(keys, PURPOSE, each.id, secret)), None)


def unknown(table: Table) -> NotFound:
    """Return the refusal of an unknown invitation secret. It does not reveal that a private table exists."""
    return tables.unknown() if table.visibility == "private" else none_such()


def none_such() -> NotFound:
    """Return the refusal of an invitation that is not there."""
    return NotFound("no_such_invitation", "There is no such invitation to this table.")


def check_usable(session: Session, table: Table, invitation: Invitation, now: datetime) -> None:
    """Refuse an invitation that is no longer open, with a code for each reason."""
    state = invitation.state(now)
    if state != "open":
        raise tables.conflict(session, table, f"invitation_{state}", _NO_LONGER[state])


def _of(session: Session, table: Table) -> Sequence[Invitation]:
    query = select(Invitation).where(Invitation.game == table.key)
    return session.scalars(query.order_by(Invitation.created_at.desc(), Invitation.id)).all()
