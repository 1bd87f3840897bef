"""Let people without an address play solos: as guests, whom a browser's session knows for a day.

A guest is an account without an address that was not erased. It receives no mail, and has nothing but solos. Signing in
moves these to the account of the address, and what nobody moves is erased once the session is over.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import select, text, update
from sqlalchemy.orm import Session

from engine.phrases import Phrase
from service.access import tokens
from service.access.limits import Limit, Limiter, by_network
from service.access.secrets import Keys
from service.commands import accounts, tables
from service.commands.reachability import bump_revisions
from service.ids import new_id
from service.store.accounts import SESSION, Account, Token
from service.store.batches import Batch
from service.store.callers import valid_at

LIFETIME = timedelta(days=1)
"""The time that a guest's solos are kept, from the beginning of the newest."""

_TOO_MANY = Phrase(
    "Too many solos were begun from your network within an hour without signing in; sign in, or try again later."
)


@dataclass(frozen=True, slots=True)
class GuestLimits:
    """The limit on the solos of guests from one network within an hour; 0 for no limit."""

    limiter: Limiter
    ip: str
    amount: int

    def before_solo(self, session: Session) -> None:
        """Count a guest's solo.

        Raises:
            LimitReached: `too_many_solos`, the network has begun too many.
        """
        hits = by_network(Limit.GUEST_SOLOS_PER_IP, self.amount, self.ip)
        self.limiter.require(hits, "too_many_solos", _TOO_MANY, session)


def begin(session: Session, language: str, now: datetime, secret: str) -> str:
    """Create a guest, to be written to in the language with this code, with the session of a browser; return its id.

    The database stores the hash of the session's secret alone.
    """
    guest = Account(id=new_id(), language=language, created_at=now)
    session.add(guest)
    session.flush()
    session.add(
        Token(
            id=new_id(),
            account=guest.id,
            hash=tokens.session_hash_of(secret),
            created_at=now,
            expires_at=now + LIFETIME,
            kind=SESSION,
        )
    )
    session.flush()
    return guest.id


def prolong(session: Session, account: str, now: datetime, language: str) -> None:
    """Keep a guest for the whole time from now on, and write to it in the language with this code."""
    session.execute(update(Account).where(Account.id == account).values(language=language))
    session.execute(update(Token).where(Token.account == account).values(expires_at=now + LIFETIME))


def hold(session: Session, account: str) -> None:
    """Lock a guest until the commit, so that its solos are not moved to another account meanwhile.

    Raises:
        Unauthorized: `account_gone`, they were, or the guest was erased.
    """
    tables.lock_account(session, account)


_MOVE_TURNS = text("UPDATE progress SET turn_account = :account WHERE turn_account = :guest AND game <> ALL (:left)")
_MOVE_SEATS = text("UPDATE seats SET account = :account WHERE account = :guest AND game <> ALL (:left)")
_MOVE_TABLES = text("UPDATE tables SET maker = :account WHERE maker = :guest AND key <> ALL (:left)")

_RUNNING = "kind = 'solo' AND status = 'running'"
_LEFT = text(f"""
    SELECT game FROM seats WHERE account = :guest AND {_RUNNING} ORDER BY game DESC
    OFFSET greatest(0, :most - (SELECT count(*) FROM seats WHERE account = :account AND {_RUNNING}))
""")


def adopt(session: Session, keys: Keys, guest: str, account: str, now: datetime, most: int) -> int:
    """Move the solos of a guest to an account that has just signed in, and erase the guest; nothing if it is gone.

    Args:
        session: the session.
        keys: the secret keys of the service.
        guest: the guest.
        account: the account.
        now: the time.
        most: the number of solos that are not over which the account may have, 0 for no limit. The newest are moved.

    Returns:
        The number of solos that were not moved, because the account would have too many. They end with the guest.
    """
    still = select(Account.id).where(Account.id == guest, Account.email.is_(None), Account.erased_at.is_(None))
    if session.scalar(still.with_for_update()) is None:
        return 0
    both = {"account": account, "guest": guest}
    left = list(session.scalars(_LEFT, {**both, "most": most})) if most else []
    moved = {**both, "left": left}
    session.execute(_MOVE_TURNS, moved)  # first, as the progress of a game is locked before its table
    bump_revisions(session, guest)
    session.execute(_MOVE_SEATS, moved)
    session.execute(_MOVE_TABLES, moved)
    session.expire_all()
    accounts.delete_account(session, keys, guest, now)
    return len(left)


def erase_over(session: Session, keys: Keys, now: datetime, most: int, batch: Batch) -> int:
    """Erase up to `most` guests whose session is over, and return how many were tried.

    Their solos end, and stay as records without a person. One that is locked is left to the next run, as is one that
    `batch` has set aside.
    """
    valid = select(Token.id).where(Token.account == Account.id, valid_at(now)).exists()
    over = (
        select(Account.id)
        .where(Account.email.is_(None), Account.erased_at.is_(None), ~valid, Account.id.not_in(batch.aside))
        .order_by(Account.created_at)
        .limit(most)
        .with_for_update(skip_locked=True, of=Account)
    )
    found = session.scalars(over).all()
    batch.each(session, found, lambda guest: guest, lambda guest: accounts.delete_account(session, keys, guest, now))
    return len(found)
