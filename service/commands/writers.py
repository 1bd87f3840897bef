"""Who wrote a mail, as far as the mail itself says."""

from __future__ import annotations

from sqlalchemy.orm import Session

from service.access import names
from service.access.addresses import normalise
from service.access.misfit import Misfit
from service.language.languages import CODES
from service.reading import tongues
from service.reading.answer import Answer
from service.reading.commands import Speak
from service.reading.incoming_mail import IncomingMail
from service.store.accounts import Account, account_by_email


def address_of(mail: IncomingMail) -> str | None:
    """The sender in the one spelling of addresses; None where that is no address that could have an account."""
    try:
        return None if mail.sender is None else normalise(mail.sender)
    except Misfit:
        return None


def account_of(session: Session, mail: IncomingMail) -> Account | None:
    """The account whose address the mail is from."""
    address = address_of(mail)
    return None if address is None else account_by_email(session, address)


def is_elsewhere(session: Session, account: str, mail: IncomingMail) -> bool:
    """Return whether the mail says that it is from another address than the account's, or from none."""
    return address_of(mail) != session.get_one(Account, account).email


def name_of(mail: IncomingMail, address: str) -> str | None:
    """The name for a new account at this address, if the mail is from there and gives one that can be taken."""
    if mail.sender_name is None or address_of(mail) != address:
        return None
    try:
        return names.check(mail.sender_name)
    except Misfit:
        return None


def asked_language(asked: Answer) -> str | None:
    """The code of the language that an answer asks for."""
    return next((command.language for command in asked.commands if isinstance(command, Speak)), None)


def language_of(mail: IncomingMail, asked: Answer, *, is_answer: bool) -> str | None:
    """The code of the language that a mail asks for, else of the one that it is in, as far as that is known; else of the
    one that its program is set to. A subject counts where what is below it leaves that open, and of one that answers ours
    it says nothing."""
    found = asked_language(asked)
    if found is None:
        lines = [line for text in mail.texts for line in text.lines]
        found = tongues.written(lines) or (None if is_answer else tongues.written([mail.subject, *lines]))
    return found or next((tag for each in mail.languages if (tag := each[:2].lower()) in CODES), None)
