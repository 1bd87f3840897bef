"""What an answer by mail does: who it is from, what it is about, and each of its lines in turn. One transaction with all
that follows, moves included, so that a mail does everything once or nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from sqlalchemy.orm import Session

from engine.saying import Said
from service.access.reply_addresses import Recipient, ToBounces, ToCode, ToInvitation, ToService, ToTable
from service.commands import accounts, notifications, strangers, talk
from service.commands.answer_moves import Moves
from service.commands.answer_starts import INQUIRIES, Means, begin
from service.commands.outcome import (
    LANGUAGE,
    LEFT_OUT,
    MUTED,
    NOTED,
    REFUSED,
    SAID,
    STOPPED,
    UNCLEAR,
    UNMUTED,
    Line,
    Outcome,
    refused,
    short,
)
from service.commands.spelling import spelt
from service.commands.writers import address_of
from service.errors import Refusal
from service.queries.table import load
from service.reading.answer import Answer
from service.reading.commands import (
    Games,
    Help,
    History,
    Inquiry,
    Join,
    Mute,
    New,
    Note,
    Pass,
    Pick,
    Refill,
    Resign,
    Rules,
    Say,
    Solo,
    Speak,
    Status,
    Stop,
    Undo,
    Unmute,
    Yes,
)
from service.reading.letter import Letter
from service.store.accounts import Account, is_erased

_GONE = ("account_gone", Said("The account that this mail was about was deleted, so nothing was done."))


def answer(session: Session, means: Means, to: Recipient, letter: Letter, asked: Answer, now: datetime) -> Outcome:
    """Do what a person's mail to this address asks for, and say what came of it."""
    match to:
        case ToBounces():
            return Outcome(put_down="to the address of bounces")
        case ToTable():
            outcome = _at_table(session, means, to, asked, now)
        case ToInvitation():
            outcome = strangers.by_invitation(session, means, to, letter, asked, now)
        case ToCode():
            outcome = strangers.by_code(session, means, to, letter, asked, now)
        case ToService():
            outcome = strangers.by_sender(session, means, letter, asked, now)
    return _completed(session, outcome, letter, asked)


def _at_table(session: Session, means: Means, to: ToTable, asked: Answer, now: datetime) -> Outcome:
    table = load(session, to.game)
    account = None if table is None else table.account_of(to.seat)
    if table is None or account is None or is_erased(session, account):
        return Outcome(lines=(Line("", REFUSED, code=_GONE[0], why=_GONE[1]),))
    moves = Moves(session, to, now)
    lines: list[Line] = []
    for command in asked.commands:
        match command:
            case Pick() | Refill() | Pass() | Undo() | Resign() | Yes():
                lines.append(moves.line(command))
            case New() | Join() | Solo():
                lines += begin(session, means, account, command, now)
            case _:
                lines.append(_beside(session, means, account, table.table.id, table.table.key, command, now))
    return Outcome(account, to.game, tuple(lines))


def _beside(
    session: Session,
    means: Means,
    account: str,
    game: str,
    key: int,
    command: Say | Note | Stop | Mute | Unmute | Speak | Inquiry,
    now: datetime,
) -> Line:
    """What an answer asks for beside moving."""
    written = spelt(command)
    limits = talk.Limits(means.limiter, means.settings.limit_messages_per_account)
    try:
        match command:
            case Say(text):
                talk.say(session, game, account, text, now, limits)
                return Line(short(written), SAID)
            case Note(text):
                talk.note(session, game, account, text, now)
                return Line(short(written), NOTED)
            case Mute() | Unmute():
                talk.mute(session, game, account, isinstance(command, Mute))
                return Line(written, MUTED if isinstance(command, Mute) else UNMUTED)
            case Stop():
                notifications.stop(session, account, "turn", key, now)
                return Line(written, STOPPED)
            case Speak(language):
                accounts.change(session, account, {"language": language}, now)
                return Line(written, LANGUAGE)
            case Help() | History() | Status() | Games() | Rules():
                return Line(written, INQUIRIES[type(command)])
    except Refusal as refusal:
        return refused(written, refusal)


def _completed(session: Session, outcome: Outcome, letter: Letter, asked: Answer) -> Outcome:
    """The outcome with what was not clear or not read, and whether it came from elsewhere."""
    if outcome.account is None:
        return outcome
    lines = list(outcome.lines)
    if asked.near is not None:
        meant = tuple(dict.fromkeys(map(spelt, asked.near.meant)))
        lines.append(Line(short(asked.near.line), UNCLEAR, readings=meant))
    lines += [Line(short(line), LEFT_OUT) for line in asked.unread]
    account = session.get_one(Account, outcome.account)
    return replace(
        outcome,
        lines=tuple(lines),
        nothing=None if lines else letter.kind,
        elsewhere=address_of(letter) not in (None, account.email),
    )
