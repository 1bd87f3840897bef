"""Lists in pages: a cursor says where the next page begins, so that nothing is skipped or shown twice.

The answer is ``{"items": […], "next": cursor or null}``, with the same in a ``Link`` header (RFC 8288).
"""

import base64
import json
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from flask import request
from marshmallow import fields

from engine.saying import Said
from service.api.bodies import refuse
from service.api.bounds import Length, Range
from service.api.fields import QueryWhole
from service.api.schema import Given
from service.errors import Malformed
from service.store import epoch
from service.store.base import db

_OUTDATED = Said("The list is no longer the one that this cursor is of; begin again with its first page.")

DEFAULT_LIMIT = 20
MAX_LIMIT = 100

LINK_HEADER = {
    "Link": {"description": 'The next page, as `<…>; rel="next"`, if there is one.', "schema": {"type": "string"}}
}


class PageQuery(Given):
    """The query of a list: derive from it to add filters."""

    cursor = fields.String(
        validate=Length(1, 200), metadata={"description": "The `next` of the page before; without it the first page."}
    )
    limit = QueryWhole(
        load_default=DEFAULT_LIMIT, validate=Range(1, MAX_LIMIT), metadata={"description": "How many at most."}
    )


def encode_cursor(*place: int | str | datetime) -> str:
    """Return the cursor for a place in the list's order, good for as long as no restore undoes that."""
    parts = [epoch.current(db.session()), *(part.isoformat() if isinstance(part, datetime) else part for part in place)]
    return base64.urlsafe_b64encode(json.dumps(parts, separators=(",", ":")).encode()).rstrip(b"=").decode()


def decode_cursor(cursor: str, *kinds: type[int] | type[str] | type[datetime]) -> tuple[Any, ...]:
    """The place that a cursor was made from.

    Args:
        cursor: as the client gave it.
        kinds: the types of the place's parts.

    Raises:
        Malformed: it is no cursor of such a list, or one from before the service was put back to an earlier state.
    """
    try:
        history, *place = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
        parts = tuple(_part(part, kind) for part, kind in zip(place, kinds, strict=True))
    except (TypeError, ValueError, RecursionError):
        refuse("query", {"cursor": [Said("Must be the `next` of a page of this list.")]})
    if history != epoch.current(db.session()):
        raise Malformed("cursor_outdated", _OUTDATED)
    return parts


def _part(part: object, kind: type[int] | type[str] | type[datetime]) -> int | str | datetime:
    """A part of a place, if it is one that the database can take for a key, an id or a time; else ValueError."""
    if kind is int and type(part) is int and abs(part) < 2**31:
        return part
    if isinstance(part, str) and part.isascii() and part.isprintable():
        if kind is str:
            return part
        if kind is datetime and (at := datetime.fromisoformat(part)).tzinfo is not None:
            return at
    raise ValueError(part)


def page(items: list[Any], next_cursor: str | None) -> tuple[dict[str, Any], dict[str, str]]:
    """The envelope of a page and its headers; ``next_cursor`` is None on the last one."""
    headers = {}
    if next_cursor is not None:
        target = f"{request.path}?{urlencode({**request.args.to_dict(), 'cursor': next_cursor})}"
        headers["Link"] = f'<{target}>; rel="next"'
    return {"items": items, "next": next_cursor}, headers
