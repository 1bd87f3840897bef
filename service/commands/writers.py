"""Who wrote a letter, as far as the letter itself says."""

from __future__ import annotations

from sqlalchemy.orm import Session

from service.access import names
from service.access.addresses import normalise
from service.access.misfit import Misfit
from service.language.languages import CODES
from service.reading import tongues
from service.reading.answer import Answer
from service.reading.commands import Speak
from service.reading.letter import Letter
from service.store.accounts import Account, account_by_email


def address_of(letter: Letter) -> str | None:
    """The sender in the one spelling of addresses; None where that is no address that could have an account."""
    try:
        return None if letter.sender is None else normalise(letter.sender)
    except Misfit:
        return None


def account_of(session: Session, letter: Letter) -> Account | None:
    """The account whose address the letter is from."""
    address = address_of(letter)
    return None if address is None else account_by_email(session, address)


def is_elsewhere(session: Session, account: str, letter: Letter) -> bool:
    """Return whether the letter says that it is from another address than the account's, or from none."""
    return address_of(letter) != session.get_one(Account, account).email


def name_of(letter: Letter, address: str) -> str | None:
    """The name for a new account at this address, if the letter is from there and gives one that can be taken."""
    if letter.sender_name is None or address_of(letter) != address:
        return None
    try:
        return names.check(letter.sender_name)
    except Misfit:
        return None


def asked_language(asked: Answer) -> str | None:
    """The code of the language that an answer asks for."""
    return next((command.language for command in asked.commands if isinstance(command, Speak)), None)


def language_of(letter: Letter, asked: Answer, *, is_answer: bool) -> str | None:
    """The code of the language that a letter asks for, else of the one that it is in, as far as that is known; else of the
    one that its program is set to. A subject counts where what is below it leaves that open, and of one that answers ours
    it says nothing."""
    found = asked_language(asked)
    if found is None:
        lines = [line for text in letter.texts for line in text.lines]
        found = tongues.written(lines) or (None if is_answer else tongues.written([letter.subject, *lines]))
    return found or next((tag for each in letter.languages if (tag := each[:2].lower()) in CODES), None)
