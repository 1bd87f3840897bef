"""What mails tell of the talk at a table, and of the reader's own notes. Pure.

Each is told inside a sentence, on one line: a line of its own could be taken for a command when somebody answers with the
mail below, and whoever wrote it could have meant that.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from service.language.people import People, isolated
from service.language.sanitize import one_line
from service.queries.talk import Heard, Notes, Spoken


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that somebody else said: by whom, when, and what."""

    name: str
    at: datetime
    said: str


def heard(told: Heard, people: People) -> dict[str, Any]:
    """The facts of `templates/table/heard.*`."""
    return {
        "heard": tuple(Remark(_author(each, people), each.at, as_line(each.said or "")) for each in told.messages),
        "heard_earlier": told.earlier,
    }


def noted(notes: Notes) -> dict[str, Any]:
    """The facts of `templates/table/notes.*`."""
    return {"notes": tuple(map(as_line, notes.texts)), "notes_earlier": notes.earlier}


def as_line(text: str) -> str:
    """A text that somebody wrote, as one line that leaves the order of the words around it alone."""
    return isolated(one_line(text))


def _author(message: Spoken, people: People) -> str:
    if message.seat is not None:
        return people.called(message.seat)
    return isolated(one_line(message.name or "")) or people.language.say("Somebody who has left the table")
