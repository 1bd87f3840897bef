"""Carry out a mail: find out who sent it and what it is about, then do each of its lines in turn.

All of it is one transaction, moves included, so a mail takes effect completely or not at all.

A secret address proves that the sender has one of the account's mails, but not that they own the account, because mails
get forwarded. So a mail from another address takes effect, but its results are mailed only to the account's own
address. What would cut the owner off, which is stopping mail and resigning, is first confirmed there.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from sqlalchemy.orm import Session

from engine.phrases import Phrase
from service.access.reply_addresses import (
    MUTE,
    STOP,
    Recipient,
    ToBounces,
    ToCode,
    ToInvitation,
    ToReading,
    ToService,
    ToSilencing,
    ToTable,
)
from service.commands import (
    accounts,
    notifications,
    open_questions,
    reply_blocks,
    reply_times,
    strangers,
    suspensions,
    talk,
)
from service.commands.beginnings import Beginnings
from service.commands.command_text import as_text
from service.commands.confirmations import ask_account
from service.commands.not_done import held_unquoted, not_done
from service.commands.reply_moves import ReplyMoves
from service.commands.reply_starts import INQUIRIES, Services
from service.commands.senders import is_elsewhere
from service.commands.suspensions import is_suspended
from service.errors import Refusal
from service.queries.table import load
from service.reading.commands import (
    AccountSettings,
    Away,
    Back,
    Block,
    Command,
    Games,
    Help,
    History,
    Inquiry,
    Join,
    Keep,
    MoreTime,
    Mute,
    New,
    Note,
    Pass,
    Pick,
    Quiet,
    Refill,
    Rematch,
    Reminders,
    Resign,
    Rules,
    Say,
    Solo,
    Speak,
    Status,
    Stop,
    Unblock,
    Unclear,
    Undo,
    Unmute,
    Yes,
)
from service.reading.incoming_mail import IncomingMail
from service.reading.reply_parser import ReplyCommands
from service.store.accounts import Account, is_erased
from service.store.mail_outcome import (
    ASKED,
    LANGUAGE,
    LEFT_OUT,
    LIKELY,
    MUTED,
    NOTED,
    SAID,
    STILL_ASKED,
    STOPPED,
    UNMUTED,
    WHICH_CELL,
    WHICH_TILE,
    Line,
    Outcome,
    refused,
)

_ASKED_APART = (
    "asked_apart",
    Phrase("It did not come from your address, so a mail of its own asks whether you want that."),
)
_ONE_QUESTION = ("one_question", Phrase("Answer first what is asked here; then write this again."))


def answer(
    session: Session,
    services: Services,
    to: Recipient,
    mail: IncomingMail,
    asked: ReplyCommands,
    now: datetime,
    dmarc: str | None,
) -> Outcome:
    """Do what a mail to one of our addresses asks for, and return the outcome.

    Args:
        session: the transaction.
        services: the settings and the limiter.
        to: what the recipient address stands for.
        mail: the parsed mail.
        asked: its commands.
        now: the time of the transaction.
        dmarc: the relay's DMARC result, such as `pass` or `fail`; None if it gave none.
    """
    is_proven, is_forged = dmarc == "pass", dmarc == "fail"
    match to:
        case ToBounces():
            return Outcome(put_down="to the address of bounces")
        case ToTable() | ToReading():
            outcome = _at_table(session, services, to, mail, asked, now, is_forged)
            is_told = any(line.code in (LIKELY, WHICH_CELL, WHICH_TILE) for line in outcome.lines)
            asked = open_questions.without_near_misses(asked, outcome.lines)
            if asked.suggestion is not None and outcome.game is not None and not asked.held:
                left = None if is_told or asked.guess is not None else asked.suggestion
                asked = replace(asked, suggestion=left and ReplyMoves(session, to, now).possible(left))
        case ToSilencing(game, seat, version, what):
            mailed = ToTable(game, seat, version, leaving=False)
            outcome = _at_table(
                session, services, mailed, mail, asked, now, is_forged, Stop() if what == STOP else Mute()
            )
            asked = open_questions.without_near_misses(asked, outcome.lines)
        case ToInvitation():
            outcome = strangers.by_invitation(session, services, to, mail, asked, now)
        case ToCode():
            outcome = strangers.by_code(session, services, to, mail, asked, now, is_proven=is_proven)
        case ToService():
            outcome = strangers.by_sender(session, services, mail, asked, now, is_proven=is_proven)
    if not asked.held and any(line.what == STILL_ASKED for line in outcome.lines):
        asked = replace(asked, suggestion=None, unread=())  # what answers no question is no command either
    return _completed(session, outcome, mail, asked, is_forged)


def _at_table(
    session: Session,
    services: Services,
    at: ToTable | ToReading,
    mail: IncomingMail,
    asked: ReplyCommands,
    now: datetime,
    is_forged: bool,
    asked_back: Stop | Mute | None = None,
) -> Outcome:
    """Carry out a reply to a mail about a game; `asked_back` is what that mail asked to confirm, if anything."""
    to = at.table if isinstance(at, ToReading) else at
    table = load(session, to.game)
    account = None if table is None else table.account_of(to.seat)
    if table is None or account is None or is_erased(session, account):
        return Outcome(put_down="of an account that was deleted")
    if is_suspended(session, account):
        return Outcome(account, to.game, (suspensions.refused_line(services.settings.contact),))
    elsewhere = is_forged or is_elsewhere(session, account, mail)
    key = table.table.key
    moves, beginnings = ReplyMoves(session, at, now), Beginnings(session, services, account, now)
    lines: list[Line] = []
    for command in (_of_game(command, to.game) for command in asked.commands):
        is_question = isinstance(command, Resign) or (elsewhere and isinstance(command, Stop | Mute))
        if is_question and any(line.what == ASKED for line in lines):
            lines.append(Line(as_text(command), LEFT_OUT, code=_ONE_QUESTION[0], why=_ONE_QUESTION[1]))
            continue
        match command:
            case Stop() | Mute() if elsewhere:
                lines.append(_asked_to_confirm(command, as_text(command)))
            case Yes() if asked_back is not None:
                lines.append(_beside(session, services, account, to.game, key, asked_back, now))
            case Pick() | Refill() | Pass() | Undo() | Resign() | Yes():
                lines.append(moves.line(command))
            case New() | Join() | Solo() | Rematch() if elsewhere:
                if not any(line.code == _ASKED_APART[0] for line in lines):
                    ask_account(session, services, session.get_one(Account, account), ReplyCommands((command,)), now)
                lines.append(Line(as_text(command), LEFT_OUT, code=_ASKED_APART[0], why=_ASKED_APART[1]))
            case New() | Join() | Solo() | Rematch():
                lines += beginnings.lines(command)
            case Away() | Back() | Quiet() | MoreTime() | Keep() | Reminders() | Unclear():
                lines.append(reply_times.carry_out(session, account, (to.game, to.seat), command, now))
            case Block() | Unblock():
                lines.append(reply_blocks.carry_out(session, account, to.game, command, now))
            case _:
                lines.append(_beside(session, services, account, to.game, key, command, now))
    if open_questions.is_declined(asked, lines) and (asked.guess is None or not isinstance(at, ToReading)):
        told = moves.decline() if asked_back is None else open_questions.declined(open_questions.MAILS_STAY)
        lines += [] if told is None else [told]
    if asked.guess is not None:
        lines.append(moves.ask_about(asked.guess))
    elif (refill := _probable_refill(asked)) and (line := moves.ask_about_refill(refill)) is not None:
        lines.append(line)
    elif open_questions.is_still_asked(asked, lines):
        lines += moves.ask_again() if asked_back is None else [_asked_to_confirm(asked_back)]
    return Outcome(account, to.game, tuple(lines))


def _asked_to_confirm(command: Stop | Mute, written: str = "") -> Line:
    """Return the result that asks whether the player wants no more mails of a game, or no more talk."""
    return Line(written, ASKED, code=STOP if isinstance(command, Stop) else MUTE)


def _of_game(command: Command, game: str) -> Command:
    """Return a command that needs the game of its mail with that game; other commands unchanged."""
    return Rematch(game) if isinstance(command, Rematch) else command


def _probable_refill(asked: ReplyCommands) -> str | None:
    """Return the only line of the reply if it probably asks for a refill and is no question, or else None."""
    suggestion = asked.suggestion
    is_one = (
        suggestion is not None
        and not asked.commands
        and not asked.unread
        and suggestion.meant == (Refill(),)
        and "?" not in suggestion.line
    )
    return suggestion.line if suggestion is not None and is_one else None


def _beside(
    session: Session,
    services: Services,
    account: str,
    game: str,
    key: int,
    command: Say | Note | Stop | Mute | Unmute | Speak | Inquiry,
    now: datetime,
) -> Line:
    """Do what a line asks for that is not a move."""
    written = as_text(command)
    limits = talk.MessageLimits.of(services.settings, services.limiter)
    try:
        match command:
            case Say(text):
                message = talk.say(session, game, account, text, now, limits)
                return Line(f"say {message.text}", SAID)
            case Note(text):
                noted = talk.note(session, game, account, text, now)
                return Line(f"note {noted.text}", NOTED)
            case Mute() | Unmute():
                talk.mute(session, game, account, isinstance(command, Mute))
                return Line(written, MUTED if isinstance(command, Mute) else UNMUTED)
            case Stop():
                notifications.stop(session, account, "turn", key, now)
                return Line(written, STOPPED)
            case Speak(language):
                accounts.change(session, account, {"language": language}, now)
                return Line(written, LANGUAGE)
            case Help() | History() | Status() | Games() | Rules() | AccountSettings():
                return Line(written, INQUIRIES[type(command)])
    except Refusal as refusal:
        return refused(written, refusal)


def _completed(
    session: Session, outcome: Outcome, mail: IncomingMail, asked: ReplyCommands, is_forged: bool
) -> Outcome:
    """Add to the outcome what was unclear or unread, and whether the mail came from another address."""
    if outcome.account is None:
        return outcome
    lines = list(outcome.lines)
    if outcome.unproven:
        lines += held_unquoted(asked)
        return replace(outcome, lines=tuple(lines), nothing=None if lines else mail.kind)
    lines += not_done(asked)
    elsewhere = is_forged or is_elsewhere(session, outcome.account, mail)
    return replace(outcome, lines=tuple(lines), nothing=None if lines else mail.kind, elsewhere=elsewhere)
