"""Limit the games that mail can start: one in each mail, and some a day for each account.

Mail is as easily written by a program as by a person, and a single line of it opens a table.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy.orm import Session

from engine.phrases import Phrase, phrase
from service.access.limits import Limit
from service.commands import accounts, reply_blocks, reply_times
from service.commands.command_text import as_text
from service.commands.reply_starts import INQUIRIES, Services, begin
from service.commands.reply_times import NO_GAME
from service.reading.commands import (
    AccountSettings,
    Away,
    Back,
    Block,
    Command,
    Games,
    Help,
    Join,
    Keep,
    MoreTime,
    New,
    Quiet,
    Rematch,
    Reminders,
    Rules,
    Solo,
    Speak,
    Status,
    Stop,
    Unblock,
    Unclear,
    Yes,
)
from service.store.mail_outcome import (
    GAMES,
    JOINED,
    LANGUAGE,
    LEFT_OUT,
    OPENED,
    REFUSED,
    REMATCH,
    SOLO,
    Line,
    short,
)

_ONE_A_MAIL = ("one_beginning", Phrase("A mail begins one thing; write another mail for this."))
_BEGUN = frozenset({OPENED, JOINED, SOLO, REMATCH})


class Beginnings:
    """The things that one mail asks to start, on behalf of an account."""

    def __init__(self, session: Session, services: Services, account: str, now: datetime) -> None:
        self._session, self._services = session, services
        self._account, self._now = account, now
        self._has_begun = False

    def lines(self, command: New | Join | Solo | Rematch) -> list[Line]:
        """Start what a line asks for, unless an earlier line has started something, and return the results."""
        if self._has_begun:
            return [Line(as_text(command), LEFT_OUT, code=_ONE_A_MAIL[0], why=_ONE_A_MAIL[1])]
        session, limiter = self._session, self._services.limiter
        most = self._services.settings.limit_beginnings_per_account
        if limiter.hit(Limit.BEGINNINGS_PER_ACCOUNT, most, self._account, session):
            why = phrase("You can begin at most %(amount)s things by mail a day.", amount=most)
            return [Line(as_text(command), REFUSED, code="too_many_beginnings", why=why)]
        lines = begin(session, self._services, self._account, command, self._now)
        self._has_begun = any(line.what in _BEGUN for line in lines)
        if not self._has_begun:
            limiter.give_back(Limit.BEGINNINGS_PER_ACCOUNT, most, self._account, session)
        return lines


def without_table(
    session: Session, services: Services, account: str, commands: Iterable[Command], now: datetime
) -> list[Line]:
    """Carry out the commands of a mail that is about no game. Agreement alone gives no result."""
    beginnings = Beginnings(session, services, account, now)
    lines: list[Line] = []
    for command in commands:
        match command:
            case New() | Join() | Solo() | Rematch(str()):
                lines += beginnings.lines(command)
            case Speak(language):
                accounts.change(session, account, {"language": language}, now)
                lines.append(Line(as_text(command), LANGUAGE))
            case Help() | Games() | Rules() | AccountSettings():
                lines.append(Line(as_text(command), INQUIRIES[type(command)]))
            case Status():  # of all games, because the mail names none
                lines.append(Line(as_text(command), GAMES))
            case Stop():  # of all mails, because the mail names no game
                lines.append(Line(as_text(command), INQUIRIES[AccountSettings]))
            case Away() | Back() | Quiet() | MoreTime() | Keep() | Reminders() | Unclear():
                lines.append(reply_times.carry_out(session, account, None, command, now))
            case Block() | Unblock():
                lines.append(reply_blocks.carry_out(session, account, None, command, now))
            case Yes():
                continue
            case _:
                lines.append(Line(short(as_text(command)), REFUSED, code=NO_GAME[0], why=NO_GAME[1]))
    codes = {line.code for line in lines}
    if NO_GAME[0] in codes and not any(line.what == GAMES for line in lines):
        lines.append(Line("", GAMES))  # with the addresses at which each of them is answered
    return lines
