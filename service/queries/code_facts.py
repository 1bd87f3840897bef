"""What the mails about who somebody is are composed from, read when they are sent: codes, the news that an address changed,
and whom to tell what this is. They only read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy.orm import Session

from service.language.languages import Reader, language
from service.queries.mail_facts import Recipient, addressee, reader_for
from service.store.accounts import Account, Code


class Asked(NamedTuple):
    """What a mail asked to begin: `what` is `new`, `join` or `solo`. Of a table `seats` is for how many it is (None: not
    said) and `invited` how many are to be invited; who they are is told to nobody whose address is not proved."""

    what: str
    seats: int | None = None
    invited: int = 0


@dataclass(frozen=True, slots=True)
class Coded:
    """A code that can be used; `purpose` is that of `service.store.accounts`, `changing` the account that is to move to
    this address, if it is for that. `asked` is what a mail asked for that waits for this code. `by_mail`:
    it was a mail that asked for the code, which may be of anybody."""

    to: Recipient
    code: str
    purpose: str
    changing: str | None
    expires_at: datetime
    asked: tuple[Asked, ...] = ()
    by_mail: bool = False


@dataclass(frozen=True, slots=True)
class AddressChanged:
    """An account's address was changed, and the old one, `to`, is to be told."""

    to: Recipient
    code: str


def code(session: Session, id: str, now: datetime) -> Coded | None:
    """A code that can still be used."""
    row = session.get(Code, id)
    if row is None or row.used_at is not None or row.expires_at <= now:
        return None
    to = addressee(session, row.email, Reader(language(row.language)))
    return Coded(
        to, row.id, row.purpose, row.account, row.expires_at, tuple(map(_asked, row.asked or ())), row.asked is not None
    )


def _asked(kept: list[Any]) -> Asked:
    match kept:
        case ["new", seats, addresses]:
            return Asked("new", seats or (len(addresses) + 1 if addresses else None), len(addresses))
        case [what, *_]:
            return Asked(str(what))
        case _:
            return Asked("")


def about(session: Session, id: str, now: datetime) -> Recipient | None:
    """Whom to tell what this is; None where the address has an account by now."""
    row = session.get(Code, id)
    if row is None or row.expires_at <= now:
        return None
    to = addressee(session, row.email, Reader(language(row.language)))
    return to if to.account is None else None


def address_changed(session: Session, id: str) -> AddressChanged | None:
    """A change of address of which the old one is still to be told."""
    row = session.get(Code, id)
    if row is None or row.former_email is None:
        return None
    account = session.get(Account, row.account)
    reader = Reader() if account is None else reader_for(account)
    return AddressChanged(Recipient(row.former_email, None, row.account, reader), row.id)
