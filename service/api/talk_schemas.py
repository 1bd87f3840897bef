"""Schemas of the messages at a table, and of private notes."""

from __future__ import annotations

from marshmallow import fields

from service.api.example_players import PLAYER_IDS
from service.api.fields import Moment, QueryWhole, SpokenLine
from service.api.paging import PageQuery
from service.api.response_fields import nested, text, whole
from service.api.schema import RequestSchema, ResponseSchema
from service.api.validators import Range

_LINE = (
    "One line that has a visible character: no control, direction or invisible characters, at most 4 marks a letter."
)


class MessagesQuery(PageQuery):
    """The part of a conversation to list."""

    since = QueryWhole(
        load_default=0,
        validate=Range(0, 2**31 - 1),
        metadata={"description": "Only messages with a higher `number` than this."},
    )


class MessageRequest(RequestSchema):
    """A message to the table."""

    text = SpokenLine(required=True, metadata={"description": _LINE})


class MessageSchema(ResponseSchema):
    """A message at a table."""

    number = whole("Counts from 1 at each table.")
    seat = whole("The seat of its author; null if the author left the table before the start.", allow_none=True)
    author_id = text("The player's id of its author; null once that account has been deleted.", allow_none=True)
    name = text("The name of its author; null if it is not set or was erased.", allow_none=True)
    at = Moment(required=True)
    text = text("Null once the account of its author has been deleted.", allow_none=True)


class MessagePage(ResponseSchema):
    """A page of messages, newest first."""

    items = nested(MessageSchema, many=True)
    next = text("The cursor of the next page; null on the last page.", allow_none=True)


class NoteRequest(RequestSchema):
    """A private note to write."""

    text = SpokenLine(required=True, metadata={"description": _LINE})


class NoteSchema(ResponseSchema):
    """One of your private notes."""

    id = fields.String(required=True)
    at = Moment(required=True)
    text = text()


class NotePage(ResponseSchema):
    """A page of your notes, newest first."""

    items = nested(NoteSchema, many=True)
    next = text("The cursor of the next page; null on the last page.", allow_none=True)


MESSAGE_EXAMPLE = {
    "number": 3,
    "seat": 1,
    "author_id": PLAYER_IDS["Ben"],
    "name": "Ben",
    "at": "2026-11-27T20:56:00.123Z",
    "text": "Well played. I had my eye on that one!",
}

NOTE_EXAMPLE = {
    "id": "7hQmX2vTnRkd",
    "at": "2026-11-27T20:56:00.123Z",
    "text": "Two more red ones at the lower end, then tile 12 is done.",
}
