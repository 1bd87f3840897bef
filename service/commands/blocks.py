"""Block players, and keep those apart who are.

Two players of whom one has blocked the other get no new table together, and no invitation. Games that they share
already go on. The one who is blocked is told nothing: a seat that is refused counts as taken, and an invitation is
stored like any other, but neither mailed nor shown.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from engine.phrases import Phrase, phrase
from service.commands import tables
from service.errors import Conflict, NotFound
from service.store import blocks
from service.store.accounts import Account

MOST = 1000
"""The most players that an account may block."""


def block(session: Session, account: str, player: str, now: datetime) -> None:
    """Block a player, whether or not that was done before.

    Raises:
        NotFound: there is no such player.
        Conflict: the player is the account itself (`yourself`), or one too many (`too_many_blocked`).
    """
    tables.lock_account(session, account, alone=True)
    check_other(session, account, player)
    if not blocks.blocked_among(session, account, [player]) and blocks.count(session, account, MOST) >= MOST:
        detail = phrase("You have blocked %(most)s players, and may block no more; unblock one first.", most=MOST)
        raise Conflict("too_many_blocked", detail, most=MOST)
    blocks.add(session, account, player, now)


def check_other(session: Session, account: str, player: str) -> None:
    """Lock another player against deletion.

    Raises:
        NotFound: nobody has this id, or the account was deleted or suspended (`unknown_player`).
        Conflict: it is the id of the account itself (`yourself`).
    """
    if player == account:
        raise yourself(Phrase("That is your own player id."))
    present = select(Account.id).where(
        Account.id == player, Account.erased_at.is_(None), Account.suspended_at.is_(None)
    )
    if session.scalar(present.with_for_update(read=True, key_share=True)) is None:
        raise unknown_player()


def yourself(why: Phrase) -> Conflict:
    """Return the refusal of something that is meant for another player."""
    return Conflict("yourself", why)


def unknown_player() -> NotFound:
    """Return the refusal of a player's id that nobody has, or whose account was deleted or suspended."""
    return NotFound("unknown_player", Phrase("There is no such player."))


def check_none_blocked(session: Session, account: str, others: Collection[str | None]) -> None:
    """Refuse what would bring an account together with somebody whom it has blocked itself (`player_blocked`)."""
    if blocks.blocked_among(session, account, others):
        detail = Phrase("You have blocked a player who takes part in this; unblock them first.")
        raise Conflict("player_blocked", detail)
