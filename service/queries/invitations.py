"""List invitations: those to a table, for the player who made it, and those to an account."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import select, tuple_
from sqlalchemy.orm import Session

from service.store.accounts import Account
from service.store.autocommit_pool import Statements, statements
from service.store.blocks import has_blocked
from service.store.callers import Caller, by_caller
from service.store.invitations import Invitation, InvitationLink

LINKS = 100
"""The most links that are listed, the newest."""


class SentInvitation(NamedTuple):
    """An invitation, and the name of the player whom it invites by id."""

    invitation: Invitation
    name: str | None


def sent(session: Session, game: int, before: tuple[datetime, str] | None, limit: int) -> Sequence[SentInvitation]:
    """Return invitations to the table with this key, newest first, after the one with time and id `before`.

    Those that somebody has asked for by a link are not among them.
    """
    query = select(Invitation, Account.name).outerjoin(Account, Account.id == Invitation.account)
    query = query.where(Invitation.game == game, Invitation.link.is_(None))
    if before is not None:
        query = query.where(tuple_(Invitation.created_at, Invitation.id) < tuple_(*before))
    newest = query.order_by(Invitation.created_at.desc(), Invitation.id.desc()).limit(limit)
    return [SentInvitation(*row) for row in session.execute(newest)]


def sent_one(session: Session, game: int, id: str) -> SentInvitation | None:
    """Return one of the invitations that `sent` lists, by its id; None if there is no such invitation."""
    query = select(Invitation, Account.name).outerjoin(Account, Account.id == Invitation.account)
    row = session.execute(query.where(Invitation.id == id, Invitation.game == game, Invitation.link.is_(None))).first()
    return None if row is None else SentInvitation(*row)


def link(session: Session, game: int, id: str) -> InvitationLink | None:
    """Return an invitation link to the table with this key by its id; None if there is no such link."""
    return session.scalar(select(InvitationLink).where(InvitationLink.id == id, InvitationLink.game == game))


def links(session: Session, game: int) -> Sequence[InvitationLink]:
    """Return the newest invitation links to the table with this key, newest first."""
    query = select(InvitationLink).where(InvitationLink.game == game)
    return session.scalars(
        query.order_by(InvitationLink.created_at.desc(), InvitationLink.id.desc()).limit(LINKS)
    ).all()


class ReceivedInvitation(NamedTuple):
    """An open invitation to the caller.

    Attributes:
        id: its id.
        game: the id of the table.
        inviter: the account of the player who sent it, or None.
        name: the name of that player, or None.
        created_at: when it was sent.
        expires_at: until when it is valid.
    """

    id: str
    game: str
    inviter: str | None
    name: str | None
    created_at: datetime
    expires_at: datetime


class ReceivedPage(NamedTuple):
    """A page of the open invitations to the caller, the caller's account, and the epoch of the data."""

    account: str | None
    epoch: str
    invitations: list[ReceivedInvitation]


def _to(recipient: str) -> str:
    """Return the SQL of the newest open invitations to a recipient, who is given by a condition."""
    return f"""(
        SELECT invitations.id, tables.id AS game, invitations.invited_by, invitations.created_at, invitations.expires_at
          FROM invitations JOIN tables ON tables.key = invitations.game
         WHERE {recipient} AND tables.status = 'open'
           AND invitations.created_at > CAST(%(past)s AS timestamptz) AND invitations.expires_at > %(now)s
           AND (invitations.created_at, invitations.id) < (CAST(%(at)s AS timestamptz), CAST(%(last)s AS text))
           AND used_at IS NULL AND declined_at IS NULL AND taken_back_at IS NULL
           AND NOT {has_blocked("invitations.invited_by", "caller.account")}
           AND NOT {has_blocked("caller.account", "invitations.invited_by")}
         ORDER BY invitations.created_at DESC, invitations.id DESC LIMIT %(limit)s)"""


_RECEIVED = by_caller(f"""
SELECT caller.account, epoch.value, page.id, page.game, inviter.id, inviter.name, page.created_at, page.expires_at
  FROM epoch CROSS JOIN {{caller}}
  LEFT JOIN accounts own ON own.id = caller.account
  LEFT JOIN LATERAL (
       SELECT *
         FROM ({_to("invitations.account = own.id")} UNION ALL {_to("invitations.email = own.email")}) AS together
        ORDER BY created_at DESC, id DESC LIMIT %(limit)s
       ) AS page ON true
  LEFT JOIN accounts inviter ON inviter.id = page.invited_by AND inviter.erased_at IS NULL
 ORDER BY page.created_at DESC, page.id DESC
""")


def received(
    store: Session | Statements,
    caller: Caller,
    before: tuple[datetime, str] | None,
    limit: int,
    lifetime: timedelta,
) -> ReceivedPage:
    """Return the open invitations to the caller, newest first, after the one with time and id `before`.

    `lifetime` is the longest time for which an invitation is valid. Invitations between players of whom one has blocked
    the other are left out.
    """
    assert caller.now is not None, "invitations expire"
    at, last = before or ("infinity", "")
    asked = caller.arguments(at=at, last=last, limit=limit, past=caller.now - lifetime)
    rows = statements(store).rows(_RECEIVED[type(caller)], asked)
    found = [ReceivedInvitation._make(row[2:]) for row in rows if row[2] is not None]
    account, epoch = rows[0][:2]
    return ReceivedPage(account, epoch, found)
