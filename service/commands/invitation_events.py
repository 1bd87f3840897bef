"""Add events that tell a player of an invitation: that it was sent, and that it is over."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.store import events
from service.store.accounts import Account, account_by_email
from service.store.blocks import are_apart
from service.store.invitations import Invitation
from service.store.tables import Table


def invited(session: Session, invitation: Invitation) -> Account | None:
    """Return the account that an invitation is for, or None if nobody has one with its address."""
    if invitation.account is not None:
        return session.get(Account, invitation.account)
    return None if invitation.email is None else account_by_email(session, invitation.email)


def announce(session: Session, invitation: Invitation, now: datetime) -> None:
    """Add an event for the account that is invited, if there is one that no block keeps apart from the sender."""
    account = invited(session, invitation)
    if account is None or (invitation.invited_by and are_apart(session, invitation.invited_by, account.id)):
        return
    events.add(session, events.INVITATION, game=invitation.game, account=account.id, now=now)


def announce_end(session: Session, table: Table, now: datetime) -> None:
    """Add an event for each account with an open invitation to a table that nobody can join any more."""
    for invitation in session.scalars(select(Invitation).where(Invitation.game == table.key)):
        if invitation.state(now) == "open":
            announce(session, invitation, now)
