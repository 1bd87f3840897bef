"""Find out who wrote a mail and in which language, as far as the mail itself says."""

from __future__ import annotations

from sqlalchemy.orm import Session

from service.access import names
from service.access.addresses import from_mail
from service.access.invalid_text import InvalidText
from service.language.languages import CODES
from service.reading import language_detection
from service.reading.commands import Speak
from service.reading.incoming_mail import IncomingMail
from service.reading.reply_parser import ReplyCommands
from service.store.accounts import Account, account_by_email


def address_of(mail: IncomingMail) -> str | None:
    """Return the normalized address of the sender, or None if it is no address that could have an account."""
    try:
        return None if mail.sender is None else from_mail(mail.sender)
    except InvalidText:
        return None


def account_of(session: Session, mail: IncomingMail) -> Account | None:
    """Return the account whose address the mail claims to be from, or None."""
    address = address_of(mail)
    return None if address is None else account_by_email(session, address)


def is_elsewhere(session: Session, account: str, mail: IncomingMail) -> bool:
    """Return whether the mail claims to be from an address other than the account's, or from none."""
    return address_of(mail) != session.get_one(Account, account).email


def name_of(mail: IncomingMail, address: str) -> str | None:
    """Return a name for a new account at this address, if the mail is from there and gives an acceptable one."""
    if mail.sender_name is None or address_of(mail) != address:
        return None
    return names.from_header(mail.sender_name)


def asked_language(asked: ReplyCommands) -> str | None:
    """Return the code of the language that a reply asks for, or None."""
    return next((command.language for command in asked.commands if isinstance(command, Speak)), None)


def written_language(mail: IncomingMail, *, is_answer: bool) -> str | None:
    """Return the code of the language that a mail is written in, or None if it leaves that open.

    The subject counts if the text leaves the language open, except in a reply, whose subject is ours.
    """
    lines = [line for text in mail.texts for line in text.lines]
    found = language_detection.language_of_text(lines)
    return found if found or is_answer else language_detection.language_of_text([mail.subject, *lines])


def language_of(mail: IncomingMail, asked: ReplyCommands, *, is_answer: bool) -> str | None:
    """Return the code of the best language for a reply to a mail, or None if it cannot be determined.

    That is the language that the mail asks for, else the language that it is written in, else the one that its program
    is set to.
    """
    found = asked_language(asked) or written_language(mail, is_answer=is_answer)
    return found or next((tag for each in mail.languages if (tag := each[:2].lower()) in CODES), None)
