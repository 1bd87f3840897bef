"""Read what mails about an account's address are composed from, at the time they are sent. Nothing is changed.

These are codes, the notice that an address was changed, and descriptions of the service.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy.orm import Session

from engine.clock.errors import ClockError
from engine.clock.terms import Terms
from service.language.languages import Reader, language
from service.queries.recipients import Recipient, addressee, player, reader_for
from service.reading.written_terms import WrittenClock, WrittenLadder, terms
from service.store.accounts import Account, Code


class PendingCommand(NamedTuple):
    """A command that a mail gave and that waits for confirmation.

    Attributes:
        what: `new`, `join`, `solo` or `rematch`.
        seats: the number of seats of a new table; None if not given.
        invited: how many people are to be invited; their addresses are not shown before the sender's own is proven.
        terms: the clock of a new table; None if it has none.
        bots: how many of its seats bots play.
    """

    what: str
    seats: int | None = None
    invited: int = 0
    terms: Terms | None = None
    bots: int = 0


@dataclass(frozen=True, slots=True)
class ValidCode:
    """A valid code.

    Attributes:
        to: the recipient.
        code: the id of the code.
        purpose: one of the purposes in `service.store.accounts`.
        changing: the account that is to move to this address, or None.
        expires_at: when the code expires.
        asked: what an earlier mail asked for that waits for this code.
        by_mail: whether a mail requested the code; anybody may have sent it.
        by_browser: whether a browser requested it, which a link can then sign in.
    """

    to: Recipient
    code: str
    purpose: str
    changing: str | None
    expires_at: datetime
    asked: tuple[PendingCommand, ...] = ()
    by_mail: bool = False
    by_browser: bool = False


@dataclass(frozen=True, slots=True)
class AddressChanged:
    """A change of an account's address, about which the old address, `to`, is notified."""

    to: Recipient
    code: str


def code(session: Session, id: str, now: datetime) -> ValidCode | None:
    """Return a code that is still valid, or None."""
    row = session.get(Code, id)
    if row is None or row.used_at is not None or row.expires_at <= now:
        return None
    to = addressee(session, row.email, Reader(language(row.language)))
    if (changing := player(session, row.account)) is not None:
        to = to._replace(over_http=changing.over_http)
    return ValidCode(
        to,
        row.id,
        row.purpose,
        row.account,
        row.expires_at,
        _asked(row.asked or []),
        row.asked is not None,
        row.browser is not None,
    )


def _asked(stored: list[list[Any]]) -> tuple[PendingCommand, ...]:
    found: list[PendingCommand] = []
    clock: WrittenClock | None = None
    for kept in stored:
        match kept:
            case ["new", seats, addresses]:
                clock, invited = None, len(addresses)
                found.append(PendingCommand("new", seats or (invited + 1 if invited else None), invited))
            case ["clock", *lengths] if found:
                clock = WrittenClock.from_json(lengths)
                found[-1] = found[-1]._replace(terms=_terms(clock, None))
            case ["ladder", *parts] if found:
                found[-1] = found[-1]._replace(terms=_terms(clock, WrittenLadder.from_json(parts)))
            case ["bots", int(bots)] if found:
                new = found[-1]
                seats = stored[0][1] or new.invited + bots + 1
                found[-1] = new._replace(bots=bots, seats=seats)
            case [what, *_]:
                found.append(PendingCommand(str(what)))
    return tuple(found)


def _terms(clock: WrittenClock | None, ladder: WrittenLadder | None) -> Terms | None:
    """Return the requested clock; None also if no table can have it, which is refused later."""
    try:
        return terms(clock, ladder)
    except ClockError:
        return None


def about(session: Session, id: str, now: datetime) -> Recipient | None:
    """Return the address that is to be told about this service, or None if it has an account by now."""
    row = session.get(Code, id)
    if row is None or row.expires_at <= now:
        return None
    to = addressee(session, row.email, Reader(language(row.language)))
    return to if to.account is None else None


def address_changed(session: Session, id: str) -> AddressChanged | None:
    """Return a change of address whose old address is still to be notified, or None."""
    row = session.get(Code, id)
    if row is None or row.former_email is None:
        return None
    account = session.get(Account, row.account)
    reader = Reader() if account is None else reader_for(account)
    return AddressChanged(Recipient(row.former_email, None, row.account, reader), row.id)
