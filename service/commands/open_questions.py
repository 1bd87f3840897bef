"""Ask again what one of our mails asked, if its answer settled nothing: the answer to that can be a yes, too."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy.orm import Session

from service.queries import invitation_context
from service.reading.commands import Resign, Yes
from service.reading.reply_parser import ReplyCommands
from service.store.invitations import Invitation
from service.store.mail_outcome import (
    CODE,
    GAMES,
    HELP,
    HISTORY,
    INVITATION,
    LANGUAGE,
    LEFT_OUT,
    RULES,
    SETTINGS,
    STATUS,
    STILL_ASKED,
    UNCLEAR,
    Line,
)

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
    says_other = suggestion is not None and any(not isinstance(each, Yes | Resign) for each in suggestion.meant)
    says_no = asked.agreement is False
    is_else = says_other or says_no or asked.guess is not None or bool(asked.held)
    return not is_else and all(line.what in _BESIDE for line in lines)
