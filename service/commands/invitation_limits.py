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
from service.access.addresses import mailbox
from service.access.limits import Hit, Limit, Limiter
from service.config import Settings
from service.store.accounts import Account
from service.store.tables import Seat

_ALL_STRANGERS = 4


@dataclass(frozen=True)
class InvitationLimits:
    """The invitations that an account may send in a day, in all and to one recipient; 0 means no limit.

    Senders who have played with the recipient are counted separately. Of those of all others together, `4 *
    per_recipient` are mailed, so a stranger cannot use up a friend's allowance.
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
        """The text by which this recipient is counted, one for all addresses of a mailbox. No address has a space."""
        return f"player {self.account}" if self.email is None else mailbox(self.email)


def count(session: Session, limits: InvitationLimits, account: str, invitee: Invitee) -> bool:
    """Count one more invitation by an account, and return whether it is to be mailed.

    It is not if strangers have sent the recipient too many. The sender is not told: a refusal that friends do not get
    would tell anybody who tries it whose address it is.

    Raises:
        LimitReached: the account has sent too many (`too_many_invitations`).
    """
    sent, to_one = limits.per_account, limits.per_recipient
    hits = [
        Hit(Limit.INVITATIONS_PER_ACCOUNT, sent, account),
        Hit(Limit.INVITATIONS_PER_RECIPIENT, to_one, f"{account} {invitee.subject}"),
    ]
    in_all = phrase("You can send at most %(amount)s invitations a day; try again later.", amount=sent)
    if invitee.email is None:
        to_this = phrase(
            "You can send a player at most %(amount)s invitations a day; try again later.",
            amount=to_one,
        )
    else:
        to_this = phrase(
            "You can send an address at most %(amount)s invitations a day; try again later.",
            amount=to_one,
        )
    details = {Limit.INVITATIONS_PER_ACCOUNT: in_all, Limit.INVITATIONS_PER_RECIPIENT: to_this}
    limits.limiter.require(hits, "too_many_invitations", details, session)
    return _have_played(session, account, invitee) or may_mail_stranger(session, limits, invitee)


def may_mail_stranger(session: Session, limits: InvitationLimits, invitee: Invitee) -> bool:
    """Count one more invitation by somebody whom the recipient has not played with; return whether it is mailed."""
    hit = Hit(Limit.INVITATIONS_TO_RECIPIENT, limits.per_recipient * _ALL_STRANGERS, invitee.subject)
    return limits.limiter.hit_all([hit], session) is None


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
