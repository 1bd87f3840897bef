"""How what is said at a table, and what people note for themselves, is sent and shown."""

from __future__ import annotations

from marshmallow import fields

from service.api.fields import Moment, SpokenLine
from service.api.game_schemas import nested, text, whole
from service.api.schema import Given, Shown

_LINE = (
    "One line with something to see in it: no control, direction or invisible characters, at most 4 marks on a letter."
)


class MessageGiven(Given):
    """Something to say to the table."""

    text = SpokenLine(required=True, metadata={"description": _LINE})


class MessageShown(Shown):
    """Something that was said at a table."""

    number = whole("Counts from 1 at each table.")
    seat = whole("Its author's; null: has left the table, before the start.", allow_none=True)
    name = text("Its author's; null when unset or erased.", allow_none=True)
    at = Moment(required=True)
    text = text("Null once its author's account was deleted.", allow_none=True)


class MessagePage(Shown):
    """A page of what was said, the newest first."""

    items = nested(MessageShown, many=True)
    next = text("The cursor of the next page.", allow_none=True)


class NoteGiven(Given):
    """Something to note for yourself."""

    text = SpokenLine(required=True, metadata={"description": _LINE})


class NoteShown(Shown):
    """A note of yours."""

    id = fields.String(required=True)
    at = Moment(required=True)
    text = text()


class NotePage(Shown):
    """A page of your notes, the newest first."""

    items = nested(NoteShown, many=True)
    next = text("The cursor of the next page.", allow_none=True)


MESSAGE_EXAMPLE = {
    "number": 3,
    "seat": 1,
    "name": "Ben",
    "at": "2026-11-27T20:56:00.123Z",
    "text": "Well played. I had my eye on that one!",
}

NOTE_EXAMPLE = {
    "id": "7hQmX2vTnRkd",
    "at": "2026-11-27T20:56:00.123Z",
    "text": "Two more red ones at the lower end, then tile 12 is done.",
}
