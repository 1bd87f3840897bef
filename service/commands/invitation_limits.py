"""Limit how many invitations an account sends, and how many strangers send to one recipient.

An address and a player id are counted apart, even if both are of the same person: otherwise a refusal would tell whose
address it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session, aliased

from engine.phrases import phrase
from service.access.limits import Hit, Limit, Limiter
from service.config import Settings
from service.errors import LimitReached
from service.store.accounts import Account
from service.store.tables import Seat

_ALL_STRANGERS = 4


@dataclass(frozen=True)
class InvitationLimits:
    """The invitations that an account may send in a day, in all and to one recipient; 0 means no limit.

    Senders who have played with the recipient are counted separately. All others together may send a recipient `4 *
    per_recipient`, so a stranger cannot use up a friend's allowance.
    """

    limiter: Limiter
    per_account: int
    per_recipient: int

    @classmethod
    def of(cls, settings: Settings, limiter: Limiter) -> InvitationLimits:
        """Return the limits that the settings say."""
        return cls(limiter, settings.limit_invitations_per_account, settings.limit_invitations_per_recipient)


class Invitee(NamedTuple):
    """The recipient of an invitation: an address, or the account of a player. The other one is None."""

    email: str | None = None
    account: str | None = None

    @property
    def subject(self) -> str:
        """The text by which this recipient is counted. No address has a space."""
        return self.email or f"player {self.account}"


def count(session: Session, limits: InvitationLimits, account: str, invitee: Invitee) -> None:
    """Count one more invitation by an account.

    Raises:
        LimitReached: it is one too many (`too_many_invitations`).
    """
    sent, to_one = limits.per_account, limits.per_recipient
    hits = [
        Hit(Limit.INVITATIONS_PER_ACCOUNT, sent, account),
        Hit(Limit.INVITATIONS_PER_RECIPIENT, to_one, f"{account} {invitee.subject}"),
    ]
    if not _have_played(session, account, invitee):
        hits += by_strangers(limits, invitee)
    reached = limits.limiter.hit_all(hits, session)
    if reached is None:
        return
    match reached.limit:
        case Limit.INVITATIONS_PER_ACCOUNT:
            detail = phrase(
                "You have sent %(amount)s invitations within a day, and more are not allowed; try again later.",
                amount=sent,
            )
        case Limit.INVITATIONS_PER_RECIPIENT if invitee.email is None:
            detail = phrase(
                "You have sent this player %(amount)s invitations within a day, and more are not allowed; try again"
                " later.",
                amount=to_one,
            )
        case Limit.INVITATIONS_PER_RECIPIENT:
            detail = phrase(
                "You have sent this address %(amount)s invitations within a day, and more are not allowed; try again"
                " later.",
                amount=to_one,
            )
        case _ if invitee.email is None:
            detail = phrase(
                "This player was sent %(amount)s invitations within a day by people whom they have not played with, and"
                " more are not allowed; try again later.",
                amount=to_one * _ALL_STRANGERS,
            )
        case _:
            detail = phrase(
                "This address was sent %(amount)s invitations within a day by people whom it has not played with, and"
                " more are not allowed; try again later.",
                amount=to_one * _ALL_STRANGERS,
            )
    raise LimitReached("too_many_invitations", detail, retry_after=reached.wait, policy=reached.policy)


def by_strangers(limits: InvitationLimits, invitee: Invitee) -> list[Hit]:
    """Return the hit of one more invitation by somebody whom the recipient has not played with."""
    return [Hit(Limit.INVITATIONS_TO_RECIPIENT, limits.per_recipient * _ALL_STRANGERS, invitee.subject)]


def _have_played(session: Session, account: str, invitee: Invitee) -> bool:
    """Return whether the account has sat at a table with the recipient."""
    mine, theirs = aliased(Seat), aliased(Seat)
    together = (
        select(mine.game)
        .join(theirs, theirs.game == mine.game)
        .join(Account, Account.id == theirs.account)
        .where(mine.account == account, theirs.account != account)
    )
    who = Account.email == invitee.email if invitee.account is None else Account.id == invitee.account
    return session.scalar(together.where(who).limit(1)) is not None
