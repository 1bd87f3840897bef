"""The schemas of events, and of the requests for them."""

from __future__ import annotations

from marshmallow import fields

from engine.phrases import Phrase
from service.api.components import Component
from service.api.fields import QueryWhole
from service.api.response_fields import flag, moment, nested, text, whole
from service.api.schema import RequestSchema, ResponseSchema
from service.api.validators import Matching, Range
from service.events.cursor import PATTERN
from service.store.events import KINDS

EVENT_KIND = Component("EventKind", {"type": "string", "enum": list(KINDS)})
"""The kinds as a type of the OpenAPI document."""

_KINDS = (
    "What has happened. `join`, `leave`, `start`, `end` and `close` (before the start) speak for themselves. `move` is"
    " a move, or a player's leaving the game; `clock` a step of the clock, a timeout among them; `host` what the host"
    " did; `message` a message at the table; `change` a change of what the table shows about its players; `invitation`"
    " that you were invited to this table, that your invitation was withdrawn, or is over because the table was closed"
    " or its game has started, or that one that you sent was declined. That an invitation expires is no event; its"
    " `expires_at` says when. New kinds can come with any version."
)

LONGEST_WAIT = 50

CURSOR_EXAMPLE = "5f0c1d2e-4711"


def cursor_field(description: str) -> fields.String:
    """Return the field of a query that takes a cursor of events."""
    return fields.String(
        validate=Matching(rf"{PATTERN}\Z", Phrase("Must be the `id` of an event, or the `after` of a response.")),
        metadata={"pattern": f"^{PATTERN}$", "description": description},
    )


class EventsQuery(RequestSchema):
    """The query of requests for events: where to begin, and how long to wait."""

    after = cursor_field(
        "The `id` of the last event that you have, or the `after` of the last response; you get what came after it."
        " Without this, you get what happens from now on."
    )
    wait = QueryWhole(
        load_default=0,
        validate=Range(0, LONGEST_WAIT),
        metadata={
            "description": "Seconds to wait for an event if there is none yet. With 0, the answer comes at once."
            " For streams this has no effect."
        },
    )


class EventSchema(ResponseSchema):
    """An event at a table, with how the table stands: enough to decide whether to get it."""

    id = text("The cursor of this event. It says nothing by itself.")
    kind = fields.Raw(
        required=True,
        metadata={
            "description": _KINDS,
            "anyOf": [EVENT_KIND, {"type": "string"}],
        },
    )
    at = moment("When it happened.")
    game = text("The id of the game or solo session.")
    game_kind = text("`match` for a game, `solo` for a solo session.", enum=("match", "solo"))
    number = whole("The version that an entry of the log made, or the number of a message.", allow_none=True)
    seat = whole("The seat of who did it, or about whom it is.", allow_none=True)
    status = text(
        "The status of the table. This and what follows is as it was soon after the event, when more may have happened"
        " already; then more events follow.",
        enum=("open", "running", "finished", "closed"),
    )
    version = whole("The version of the game, 0 before its start. If you have this version, you have this move.")
    etag = text(
        "The ETag of the game. If it is that of what you have, there is nothing to get. Null unless the game has"
        " started.",
        allow_none=True,
    )
    turn = whole("The seat to move.", allow_none=True)
    you = whole("Your own seat.", allow_none=True)
    your_turn = flag("Whether it is your turn.")


class EventPage(ResponseSchema):
    """Events in the order in which they happened, and where to go on."""

    items = nested(EventSchema, many=True)
    after = text("What to send as `after` next time, whether or not there were events.")
    more = flag("Whether there is more to get at once.")


EVENT_EXAMPLE = {
    "id": CURSOR_EXAMPLE,
    "kind": "move",
    "at": "2026-11-27T20:56:00.123Z",
    "game": "3kTmWq8ZbNpR",
    "game_kind": "match",
    "number": 12,
    "seat": 1,
    "status": "running",
    "version": 12,
    "etag": '"12-3-9f86d081"',
    "turn": 0,
    "you": 0,
    "your_turn": True,
}
PAGE_EXAMPLE = {"items": [EVENT_EXAMPLE], "after": CURSOR_EXAMPLE, "more": False}
