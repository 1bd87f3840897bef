"""Send, withdraw, decline and check invitations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session, aliased

from engine.phrases import Phrase, phrase
from service.access import secrets
from service.access.limits import Hit, Limit, Limiter
from service.access.secrets import Keys
from service.commands import tables
from service.commands.account_limits import AccountLimits
from service.errors import LimitReached, NotFound
from service.ids import new_id
from service.store import events, mail_kinds
from service.store.accounts import Account, account_by_email
from service.store.invitations import Invitation
from service.store.queue import defer
from service.store.tables import Seat, Table

LIFETIME = timedelta(days=14)

_ALL_STRANGERS = 4

PURPOSE = "invitation"
"""The purpose that an invitation's secret is derived for (`service.access.secrets`)."""

_NO_LONGER = {
    "used": Phrase("The invitation was used."),
    "declined": Phrase("The invitation was declined."),
    "taken_back": Phrase("The invitation was taken back."),
    "expired": Phrase("The invitation has expired."),
}


@dataclass(frozen=True)
class InvitationLimits:
    """The invitations that an account may send in a day, in all and to one recipient; 0 means no limit.

    Senders who have played with the recipient are counted separately. All others together may send a recipient `4 *
    per_recipient`, so a stranger cannot use up a friend's allowance.
    """

    limiter: Limiter
    per_account: int
    per_recipient: int


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

    An address that has unsubscribed is invited like any other. The worker, which knows that list, sends nothing.
    """
    tables.lock_account(session, account, alone=bounds is not None)
    table = _of_maker(session, account, table_id)
    tables.check_open(session, table)
    if any(other.email == email and other.state(now) == "open" for other in _of(session, table)):
        raise tables.conflict(session, table, "already_invited", "This address has an open invitation to this table.")
    if bounds is not None:
        bounds.before_invitation(session, account, now)
    _count(session, limits, account, email)
    invitation = Invitation(
        id=new_id(), game=table.key, email=email, invited_by=account, created_at=now, expires_at=now + LIFETIME
    )
    session.add(invitation)
    session.flush()
    lock = mail_kinds.INVITATION.lock(invitation=invitation.id)
    defer(session, "mail_invitation", {"invitation": invitation.id}, queueing_lock=lock)
    _announce(session, invitation, now)
    return invitation


def take_back(session: Session, account: str, table_id: str, invitation_id: str, now: datetime) -> None:
    """Withdraw an invitation on behalf of the player who made the table.

    A used or declined invitation stays as it is, which is a conflict. Withdrawing twice is allowed.
    """
    table = _of_maker(session, account, table_id)
    invitation = next((each for each in _of(session, table) if each.id == invitation_id), None)
    if invitation is None:
        raise _none_such()
    if invitation.state(now) in ("used", "declined"):
        check_usable(session, table, invitation, now)
    if invitation.taken_back_at is None:
        invitation.taken_back_at = now
        session.flush()
        _announce(session, invitation, now)


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
    return tables.unknown() if table.visibility == "private" else _none_such()


def _none_such() -> NotFound:
    return NotFound("no_such_invitation", "There is no such invitation to this table.")


def check_usable(session: Session, table: Table, invitation: Invitation, now: datetime) -> None:
    """Refuse an invitation that is no longer open, with a code for each reason."""
    state = invitation.state(now)
    if state != "open":
        raise tables.conflict(session, table, f"invitation_{state}", _NO_LONGER[state])


def _announce(session: Session, invitation: Invitation, now: datetime) -> None:
    """Add an event for the account that is invited, if there is one."""
    invited = None if invitation.email is None else account_by_email(session, invitation.email)
    if invited is not None:
        events.add(session, events.INVITATION, game=invitation.game, account=invited.id, now=now)


def _of_maker(session: Session, account: str, table_id: str) -> Table:
    table = tables.locked_table(session, table_id)
    tables.check_maker(table.maker, account)
    return table


def _of(session: Session, table: Table) -> Sequence[Invitation]:
    query = select(Invitation).where(Invitation.game == table.key)
    return session.scalars(query.order_by(Invitation.created_at.desc(), Invitation.id)).all()


def _count(session: Session, limits: InvitationLimits, account: str, email: str) -> None:
    sent, to_one = limits.per_account, limits.per_recipient
    hits = [
        Hit(Limit.INVITATIONS_PER_ACCOUNT, sent, account),
        Hit(Limit.INVITATIONS_PER_RECIPIENT, to_one, f"{account} {email}"),
    ]
    all_strangers = to_one * _ALL_STRANGERS
    if all_strangers and not _have_played(session, account, email):
        hits.append(Hit(Limit.INVITATIONS_TO_RECIPIENT, all_strangers, email))
    reached = limits.limiter.hit_all(hits, session)
    if reached is None:
        return
    match reached.limit:
        case Limit.INVITATIONS_PER_ACCOUNT:
            detail = phrase(
                "You have sent %(amount)s invitations within a day, and more are not allowed; try again later.",
                amount=sent,
            )
        case Limit.INVITATIONS_PER_RECIPIENT:
            detail = phrase(
                "You have sent this address %(amount)s invitations within a day, and more are not allowed; try again"
                " later.",
                amount=to_one,
            )
        case _:
            detail = phrase(
                "This address was sent %(amount)s invitations within a day by people whom it has not played with, and"
                " more are not allowed; try again later.",
                amount=all_strangers,
            )
    raise LimitReached("too_many_invitations", detail, retry_after=reached.wait, policy=reached.policy)


def _have_played(session: Session, account: str, email: str) -> bool:
    """Return whether the account has sat at a table with whoever has this address."""
    mine, theirs = aliased(Seat), aliased(Seat)
    together = (
        select(mine.game)
        .join(theirs, theirs.game == mine.game)
        .join(Account, Account.id == theirs.account)
        .where(mine.account == account, Account.email == email, theirs.account != account)
    )
    return session.scalar(together.limit(1)) is not None
