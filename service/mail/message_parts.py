"""The messages at a table, and the reader's own notes, as mails quote them.

Each is quoted inside a sentence, on one line: on a line of its own, it could be taken for a command when somebody
answers with the mail below, and its author could intend that.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from service.language.people import People, isolated
from service.language.sanitize import one_line
from service.queries.talk import NewMessages, Notes, TableMessage


@dataclass(frozen=True, slots=True)
class Remark:
    """A message of another player: by whom, when, and what."""

    name: str
    at: datetime
    said: str


def heard(told: NewMessages, people: People) -> dict[str, Any]:
    """Return the variables of `templates/table/heard.*`."""
    return {
        "heard": tuple(Remark(_author(each, people), each.at, as_line(each.said or "")) for each in told.messages),
        "heard_earlier": told.earlier,
    }


def noted(notes: Notes) -> dict[str, Any]:
    """Return the variables of `templates/table/notes.*`."""
    return {"notes": tuple(map(as_line, notes.texts)), "notes_earlier": notes.earlier}


def as_line(text: str) -> str:
    """Return a text that somebody wrote as one line, which does not change the order of the words around it."""
    return isolated(one_line(text))


def _author(message: TableMessage, people: People) -> str:
    if message.seat is not None:
        return people.called(message.seat)
    return isolated(one_line(message.name or "")) or people.language.say("Somebody who has left the table")
