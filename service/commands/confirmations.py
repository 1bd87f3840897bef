"""Hold what a mail asked to start until its supposed sender confirms it by replying to a code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, TypeGuard

from sqlalchemy import select
from sqlalchemy.orm import Session

from engine.phrases import Phrase
from service.access.address_hash import address_hashes
from service.access.limits import Limit
from service.commands import codes
from service.commands.command_text import as_text
from service.commands.reply_starts import INQUIRIES, Services
from service.reading.commands import (
    AccountSettings,
    Command,
    Games,
    Help,
    Join,
    New,
    Rematch,
    Rules,
    Solo,
    Status,
    Stop,
    Yes,
)
from service.reading.reply_parser import ReplyCommands
from service.reading.written_terms import WrittenClock, WrittenLadder
from service.store import accounts, never_mail
from service.store.accounts import Account, Code
from service.store.mail_outcome import REFUSED, Line, Outcome

ANSWERED_WITHIN = timedelta(days=3)
"""The time that a code requested by mail is valid: mail may be slow, and so are people."""

_NOT_PROVEN = Line(
    "",
    REFUSED,
    code="not_proven",
    why=Phrase(
        "Anybody could have written that in your name, so it was not done: write it in an answer to a mail from here."
    ),
)


def ask_account(session: Session, services: Services, account: Account, asked: ReplyCommands, now: datetime) -> Outcome:
    """Ask an account to confirm a mail that only claims to come from its address.

    The mail itself starts nothing. The account is mailed what was asked for, and a reply to that starts it. Only the
    newest such question is open, and the same one is not asked twice. No other command is carried out, and nothing of
    the mail is repeated, but requests for information are answered.
    """
    begins = [command for command in asked.commands if _begins(command)]
    if not begins:
        told = {type(command): _told(command) for command in asked.commands if not isinstance(command, Yes)}
        lines = {line.written: line for line in told.values()}  # a refusal is given only once
        return Outcome(account.id, None, tuple(lines.values()), unproven=True)
    assert account.email is not None, "it was found by that"
    if never_mail.is_listed(session, address_hashes(services.settings.secret_keys, account.email)):
        return Outcome(put_down="of somebody who wants no mail")
    # Locked before its codes, as everywhere.
    accounts.hold_account(session, account.email, to_change=True)
    mine = (Code.email == account.email, Code.purpose == accounts.SIGN_IN, Code.asked.is_not(None))
    unused = select(Code).where(*mine, Code.used_at.is_(None), Code.expires_at > now).with_for_update()
    standing = session.scalars(unused).all()
    wanted = to_json(begins[:1])
    if any(code.asked == wanted for code in standing):
        return Outcome(put_down="of an account, which was asked that already")
    most = services.settings.limit_unproven_per_address
    if services.limiter.hit(Limit.UNPROVEN_PER_ADDRESS, most, account.email, session):
        return Outcome(put_down="of an account, which was asked too often")
    for code in standing:
        code.expires_at = now
    ask(session, account.email, account.language, wanted, now)
    return Outcome(put_down="of an account, which is asked whether that is so")


def ask(session: Session, email: str, language: str, asked: list[list[Any]], now: datetime) -> None:
    """Mail an address a code that starts what was asked for, and that creates an account if there is none."""
    code = codes.make(session, accounts.SIGN_IN, email, None, language, now, lifetime=ANSWERED_WITHIN)
    code.asked = asked
    codes.mail(session, code)


def _begins(command: Command) -> TypeGuard[New | Join | Solo | Rematch]:
    """Return whether a command starts a game; one for a rematch has to name the finished game."""
    return isinstance(command, New | Join | Solo) or (isinstance(command, Rematch) and command.table is not None)


def _told(command: Command) -> Line:
    match command:
        case Help() | Games() | Rules() | AccountSettings():
            return Line(as_text(command), INQUIRIES[type(command)])
        case Status():  # of all games, because the mail names none
            return Line(as_text(command), INQUIRIES[Games])
        case Stop():  # of all mails; the page asks for a proof
            return Line(as_text(command), INQUIRIES[AccountSettings])
        case _:
            return _NOT_PROVEN


def to_json(commands: Sequence[New | Join | Solo | Rematch]) -> list[list[Any]]:
    """Return the commands as plain JSON data."""
    asked: list[list[Any]] = []
    for command in commands:
        match command:
            case New(seats, addresses, clock, bots, ladder):
                asked.append(["new", seats, list(addresses)])
                if clock is not None:  # apart, as earlier releases read `new` in this form only
                    asked.append(["clock", *clock.to_json()])
                if ladder is not None:
                    asked.append(["ladder", *ladder.to_json()])
                if bots:
                    asked.append(["bots", bots])
            case Join(code):
                asked.append(["join", code])
            case Solo():
                asked.append(["solo"])
            case Rematch(table):
                asked.append(["rematch", table])
    return asked


def from_json(asked: list[list[Any]] | None) -> list[Command]:
    """Return the commands for JSON data made by `to_json`."""
    commands: list[Command] = []
    for each in asked or ():
        match each:
            case ["new", seats, addresses]:
                commands.append(New(seats, tuple(addresses)))
            case ["clock", *lengths] if commands and isinstance(commands[-1], New):
                commands[-1] = replace(commands[-1], clock=WrittenClock.from_json(lengths))
            case ["ladder", *parts] if commands and isinstance(commands[-1], New):
                commands[-1] = replace(commands[-1], ladder=WrittenLadder.from_json(parts))
            case ["bots", int(bots)] if commands and isinstance(commands[-1], New):
                commands[-1] = replace(commands[-1], bots=bots)
            case ["join", code]:
                commands.append(Join(code))
            case ["rematch", str(table)]:
                commands.append(Rematch(table))
            case _:
                commands.append(Solo())
    return commands
