"""Handle mail from people without an account, or who prove by a reply that an address is theirs.

Without a secret, a sender is known only by the From address, which anybody can forge. A stranger who asks to start
something is mailed a code, at most once a day, and confirms by replying to it; whose mail is proven gets one for each
of a few different requests a day, and each starts its own. Any other mail from a stranger is answered at most once a
week, with a description of the service that repeats nothing of what was sent.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from engine.phrases import Phrase
from service.access.address_hash import address_hashes
from service.access.addresses import mailbox
from service.access.limits import Hit, Limit
from service.access.reply_addresses import ToCode, ToInvitation, own_address
from service.commands import codes, open_questions, suspensions
from service.commands.beginnings import without_table
from service.commands.command_text import as_text
from service.commands.confirmations import ANSWERED_WITHIN, ask, ask_account, from_json, to_json
from service.commands.invitation_events import invited
from service.commands.not_done import not_done
from service.commands.reachability import resume
from service.commands.reply_starts import Services, accept, decline
from service.commands.senders import account_of, address_of, asked_language, language_of, name_of, written_language
from service.reading.commands import Command, Help, Join, New, Solo, Speak, Stop, Yes
from service.reading.incoming_mail import IncomingMail
from service.reading.reply_parser import ReplyCommands
from service.store import accounts, never_mail
from service.store.accounts import Account, Code
from service.store.invitations import Invitation
from service.store.mail_outcome import REFUSED, SIGNED_UP, Line, Outcome

_ONE = 1
"""The number of codes a day for unproven mails, and of descriptions a week, that are mailed to a stranger's address."""

_PROVEN = 5
"""The number of codes a day that are mailed to a stranger for mails that are proven to be theirs."""

_AGAIN = 5
"""The number of times a day that a stranger who answers neither yes nor no is asked again."""

_UNREAD = re.compile(
    r"(?:no[-_.]?reply|do[-_.]?not[-_.]?reply|bounces?|mailer-daemon|"
    r"postmaster|mail-?daemon|abuse|notifications?|alerts?)"
    r"(?:[-+._=][^@]*)?@"
)
"""Addresses of programs, which a mail may claim to be from."""


_TOO_OLD = Line(
    "",
    REFUSED,
    code="code_too_old",
    why=Phrase("That code is too old or was used; write once more to begin something, and another one comes."),
)
_OLD_OF_ACCOUNT = replace(
    _TOO_OLD,
    why=Phrase("That code is too old or was used. You have an account, so just write what you would like to begin."),
)


def by_sender(
    session: Session, services: Services, mail: IncomingMail, asked: ReplyCommands, now: datetime, *, is_proven: bool
) -> Outcome:
    """Carry out a mail without a secret for the account that it claims to be from, if that is proven."""
    account = account_of(session, mail)
    if account is None:
        return _ask(session, services, mail, asked, now, is_proven=is_proven)
    if account.suspended_at is not None:
        return _refused(services, account) if is_proven else Outcome(put_down="of an account that is suspended")
    if not is_proven:
        return ask_account(session, services, account, asked, now)
    return Outcome(account.id, None, tuple(without_table(session, services, account.id, asked.commands, now)))


def by_code(
    session: Session,
    services: Services,
    to: ToCode,
    mail: IncomingMail,
    asked: ReplyCommands,
    now: datetime,
    *,
    is_proven: bool,
) -> Outcome:
    """Carry out a reply to a mail with a code, which proves the address.

    An address without an account gets one. Then the commands of the reply are carried out or, if it only agrees, those
    of the earlier mail. A code that is no longer valid proves nothing.
    """
    code = _code(session, to.code, now)
    if code is None:
        address = session.scalar(select(Code.email).where(Code.id == to.code, Code.purpose == accounts.SIGN_IN))
        if address is not None and all(isinstance(command, Yes) for command in asked.commands):
            known = accounts.account_by_email(session, address)
            return Outcome(
                known.id if known else None, lines=(_OLD_OF_ACCOUNT if known else _TOO_OLD,), address=address
            )
        return by_sender(session, services, mail, asked, now, is_proven=is_proven)
    if asked.held:
        known = accounts.account_by_email(session, code.email)
        told = [] if known else not_done(asked)
        lines = [*told, open_questions.of_code(code.id)]
        return _asked_again(session, services, code.email, known, lines, code.language)
    asked = asked.to_question()  # here alone: a code that is no longer valid asks nothing
    language = asked_language(asked)
    if not any(isinstance(command, Yes | New | Join | Solo | Help) for command in asked.commands):
        return _ask_anew(session, services, code, mail, asked, now)
    code.used_at = now
    spoken = language or written_language(mail, is_answer=True) or code.language
    account, lines = _signed_up(session, services, code.email, spoken, mail, now)
    if account.suspended_at is not None:
        return _refused(services, account)
    begins: list[Command] = [command for command in asked.commands if not isinstance(command, Yes | Speak)]
    begins = begins or [*from_json(code.asked)]
    if lines and not begins:  # who only signs up is told what can be written next
        begins = [Help()]
    if language is not None and not lines:
        begins = [Speak(language), *begins]
    lines += without_table(session, services, account.id, begins, now)
    return Outcome(account.id, None, tuple(lines))


def by_invitation(
    session: Session, services: Services, to: ToInvitation, mail: IncomingMail, asked: ReplyCommands, now: datetime
) -> Outcome:
    """Carry out a reply to an invitation.

    Agreeing takes the seat, with a new account if the address has none. The command to stop declines.
    """
    asked = asked.to_question()
    invitation = session.get(Invitation, to.invitation)
    if invitation is None or (invitation.email is None and invitation.account is None):
        return Outcome(put_down="of an invitation that is gone")
    agreed = any(isinstance(command, Yes | Join | New | Solo) for command in asked.commands)
    account = invited(session, invitation)
    address = invitation.email or (None if account is None else account.email)
    if address is None:
        return Outcome(put_down="of an invitation to somebody who is gone")
    if account is not None and account.suspended_at is not None:
        return _refused(services, account)
    language = language_of(mail, asked, is_answer=True) or _language_of_invitation(session, invitation)
    question = open_questions.of_invitation(session, invitation, now)
    still_asked = [] if question is None else [question]
    if asked.held:
        told = [] if account else not_done(asked)
        return _asked_again(session, services, address, account, told + still_asked, language)
    lines: list[Line] = []
    is_settled = agreed or any(isinstance(command, Stop) for command in asked.commands)
    if agreed:
        account, lines = _signed_up(session, services, address, language, mail, now)
    elif account is None and not is_settled:
        if not still_asked:
            return _tell_about(session, services, address, language, asked, now, is_proven=True)
        return _asked_again(session, services, address, None, still_asked, language)
    others = []
    for command in asked.commands:
        if isinstance(command, Stop):
            lines.append(decline(session, services, invitation, as_text(command), now))
        elif account is None:
            continue
        elif isinstance(command, Yes | Join):
            lines.append(accept(session, services, account.id, invitation, as_text(command), now))
        else:
            others.append(command)
    if account is not None:
        lines += without_table(session, services, account.id, others, now)
    lines += [] if is_settled else still_asked
    if account is None:
        return Outcome(lines=tuple(lines), address=address, language=language)
    return Outcome(account.id, None, tuple(lines), address=address)


def _asked_again(
    session: Session, services: Services, address: str, account: Account | None, lines: list[Line], language: str
) -> Outcome:
    """Return the outcome of an answer to a question that is neither yes nor no: the lines ask it again."""
    if account is not None:
        return Outcome(account.id, None, tuple(lines), address=address)
    if services.limiter.hit(Limit.STRANGERS_PER_ADDRESS, _AGAIN, f"{address} again", session):
        return Outcome(put_down="of a stranger, who was asked again too often")
    return Outcome(lines=tuple(lines), address=address, language=language)


def _refused(services: Services, account: Account) -> Outcome:
    """Return the outcome of a mail from a suspended account."""
    return Outcome(account.id, None, (suspensions.refused_line(services.settings.contact),))


def _language_of_invitation(session: Session, invitation: Invitation) -> str:
    if invitation.language is not None:
        return invitation.language
    inviter = None if invitation.invited_by is None else session.get(Account, invitation.invited_by)
    return "en" if inviter is None else inviter.language


def _ask(
    session: Session, services: Services, mail: IncomingMail, asked: ReplyCommands, now: datetime, *, is_proven: bool
) -> Outcome:
    """Mail a code to a stranger who asks to start something or for help: once a day, or a few times if proven.

    Mails whose sender is proven are counted separately, by the domain that proved it. Others who write in somebody's
    name, or in thousands of names, cannot use up that person's allowance.
    """
    begins = [command for command in asked.commands if isinstance(command, New | Join | Solo)]
    address = address_of(mail)
    if address is None or address == own_address(services.settings).lower():
        return Outcome(put_down="of nobody who could have an account")
    if not begins and not any(isinstance(command, Help) for command in asked.commands):
        language = language_of(mail, asked, is_answer=False) or "en"
        return _tell_about(session, services, address, language, asked, now, is_proven=is_proven)
    hashes = address_hashes(services.settings.secret_keys, address)
    if is_proven:  # who asks for this wants mail again, and has no other way back after a `stop` by mail
        never_mail.remove(session, hashes)
    elif never_mail.is_listed(session, hashes):
        return Outcome(put_down="of somebody who wants no mail")
    by = _proven_by(address, is_proven)
    wanted, whose = to_json(begins[:1]), f"{mailbox(address)}{by}"
    request = hashlib.sha256(json.dumps(wanted).encode()).hexdigest()[:16]
    same = Hit(Limit.STRANGERS_PER_ADDRESS, _ONE, f"{whose} {request}")
    any_ = Hit(Limit.STRANGERS_PER_ADDRESS, _PROVEN if is_proven else _ONE, whose)
    all_together = Hit(Limit.STRANGERS, services.settings.limit_strangers, by)
    if services.limiter.hit_all([same, any_, all_together], session):
        return Outcome(put_down="of a stranger, one of too many")
    language = language_of(mail, asked, is_answer=False) or "en"
    ask(session, address, language, wanted, now)
    return Outcome(put_down="of a stranger, who is mailed a code")


def _proven_by(address: str, is_proven: bool) -> str:
    """Return the key by which mails are counted together: the domain that proved them, or empty if unproven."""
    return f" {address.rpartition('@')[2]}" if is_proven else ""


def _tell_about(
    session: Session,
    services: Services,
    address: str,
    language: str,
    asked: ReplyCommands,
    now: datetime,
    *,
    is_proven: bool,
) -> Outcome:
    """Tell a stranger whose mail has no known command what this service is, in the given language, once a week.

    Who asks for no mail gets none from then on, if that is proven; else the link in this mail does that.
    """
    hashes = address_hashes(services.settings.secret_keys, address)
    if is_proven and any(isinstance(command, Stop) for command in asked.commands):
        never_mail.add(session, hashes, now)
        return Outcome(put_down="of a stranger, who wants no mail")
    if _UNREAD.match(address):
        return Outcome(put_down="of an address that nobody reads")
    if never_mail.is_listed(session, hashes):
        return Outcome(put_down="of somebody who wants no mail")
    # Everybody gets the same text, so it does not matter whose mail spent it.
    weekly = Hit(Limit.QUESTIONS_PER_ADDRESS, _ONE, mailbox(address))
    all_together = Hit(Limit.STRANGERS, services.settings.limit_strangers, _proven_by(address, is_proven))
    if services.limiter.hit_all([weekly, all_together], session):
        return Outcome(put_down="of a stranger, one of too many")
    codes.tell_about(session, address, language, now, ANSWERED_WITHIN)
    return Outcome(put_down="of a stranger, who is told what this is")


def _ask_anew(
    session: Session, services: Services, code: Code, mail: IncomingMail, asked: ReplyCommands, now: datetime
) -> Outcome:
    """Mail a code again in the language that was asked for, in place of the one that was answered.

    A reply that asks for nothing is answered with what a yes would do.
    """
    language = asked_language(asked)
    if language is None:
        language = language_of(mail, asked, is_answer=True) or code.language
        if any(isinstance(command, Stop) for command in asked.commands):
            return _tell_about(session, services, code.email, language, asked, now, is_proven=True)
        known = accounts.account_by_email(session, code.email)
        return _asked_again(session, services, code.email, known, [open_questions.of_code(code.id)], language)
    most = services.settings.limit_strangers
    if language == code.language or services.limiter.hit(Limit.STRANGERS, most, "", session):
        return Outcome(put_down="an answer to a code that asks for nothing")
    code.used_at = now
    anew = codes.make(session, accounts.SIGN_IN, code.email, None, language, now, lifetime=code.expires_at - now)
    anew.asked = code.asked
    codes.mail(session, anew)
    return Outcome(put_down="an answer to a code, which is mailed in another language")


def _code(session: Session, id: str, now: datetime) -> Code | None:
    """Return the sign-in code with this id, locked, or None if it is no longer valid."""
    email = session.scalar(select(Code.email).where(Code.id == id, Code.purpose == accounts.SIGN_IN))
    if email is None:
        return None
    accounts.hold_account(session, email, to_change=True)  # locked before its codes, as everywhere
    standing = select(Code).where(Code.id == id, Code.used_at.is_(None), Code.expires_at > now)
    return session.scalar(standing.with_for_update().execution_options(populate_existing=True))


def _signed_up(
    session: Session, services: Services, email: str, language: str, mail: IncomingMail, now: datetime
) -> tuple[Account, list[Line]]:
    """Return the account of an address that was just proved, and a result that says so if the account is new."""
    known = accounts.hold_account(session, email, to_change=True) is not None
    account = accounts.ensure_account(session, email, name=name_of(mail, email), language=language, now=now)
    resume(session, account, address_hashes(services.settings.secret_keys, email))
    signed_up = Line("", SIGNED_UP, facts={} if account.name else {"name": "none"})
    return account, [] if known else [signed_up]
