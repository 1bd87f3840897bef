"""Ask again what one of our mails asked, if its answer settled nothing: the answer to that can be a yes, too."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from sqlalchemy.orm import Session

from engine.phrases import Phrase
from service.queries import invitation_context
from service.reading.commands import Pick, Resign, Yes
from service.reading.reply_parser import ReplyCommands
from service.store.invitations import Invitation
from service.store.mail_outcome import (
    ASKED,
    CODE,
    GAMES,
    HELP,
    HISTORY,
    INVITATION,
    LANGUAGE,
    LEFT_OUT,
    LIKELY,
    RULES,
    SETTINGS,
    STATUS,
    STILL_ASKED,
    UNCLEAR,
    Line,
)

STAYS = ("stays", Phrase("You stay in the game."))
NOT_PLAYED = ("not_played", Phrase("Nothing was played."))
MAILS_STAY = ("mails_stay", Phrase("Nothing changes: your mails come as before."))
_DECLINED = frozenset({STAYS[0], NOT_PLAYED[0], MAILS_STAY[0]})
"""The codes of the results of a no to one of our questions about a game."""

_BESIDE = frozenset({UNCLEAR, LEFT_OUT, LANGUAGE, HELP, HISTORY, STATUS, GAMES, RULES, SETTINGS})
"""The results that leave a question about a game open."""


def of_invitation(session: Session, invitation: Invitation, now: datetime) -> Line | None:
    """Return the line that asks again whether to accept an invitation, or None if it cannot be accepted any more."""
    if invitation_context.invitation(session, invitation.id, now) is None:
        return None
    return Line("", STILL_ASKED, code=INVITATION, facts={"id": invitation.id})


def of_code(code: str) -> Line:
    """Return the line that asks again for an answer to the mail with this code, given by its id."""
    return Line("", STILL_ASKED, code=CODE, facts={"id": code})


def is_still_asked(asked: ReplyCommands, lines: Iterable[Line]) -> bool:
    """Return whether a reply to a question about a game leaves it open: it says neither yes nor no, and no move.

    Args:
        asked: the commands of the reply.
        lines: their results.
    """
    suggestion = asked.suggestion
    says_other = (
        asked.agreement is None
        and suggestion is not None
        and any(not isinstance(each, Yes | Resign) for each in suggestion.meant)
    )
    is_else = says_other or asked.says_no or asked.guess is not None or bool(asked.held)
    return not is_else and all(line.what in _BESIDE for line in lines)


def declined(what: tuple[str, Phrase]) -> Line:
    """Return the result of a no to a question, one of `STAYS`, `NOT_PLAYED` and `MAILS_STAY`."""
    return Line("", LEFT_OUT, code=what[0], why=what[1])


def is_declined(asked: ReplyCommands, lines: Iterable[Line]) -> bool:
    """Return whether a reply to a question about a game says no and asks for nothing but information."""
    return asked.says_no and not asked.held and all(line.what in _BESIDE for line in lines)


def without_near_misses(asked: ReplyCommands, lines: Iterable[Line]) -> ReplyCommands:
    """Return the reply without its near misses if it answers a question with the words of a yes or a no.

    Such words are no misspelled commands; but a move among them stays, so that it is told of.
    """
    is_asked_again = asked.agreement is not None and any(line.what == ASKED or line.code == LIKELY for line in lines)
    if not is_asked_again and not any(line.code in _DECLINED for line in lines):
        return asked
    names_move = asked.suggestion is not None and any(isinstance(each, Pick) for each in asked.suggestion.meant)
    return asked if names_move else replace(asked, suggestion=None, unread=())
