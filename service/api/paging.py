"""Lists in pages: a cursor says where the next page begins, so that nothing is skipped or shown twice.

The answer is ``{"items": […], "next": cursor or null}``, with the same in a ``Link`` header (RFC 8288).
"""

import base64
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from marshmallow import fields

from engine.saying import Said
from service.api.bounds import Length, Range
from service.api.fields import QueryWhole
from service.api.json_response import link_to
from service.api.requests import refuse
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


class Place(NamedTuple):
    """A place in a list's order, and the epoch that its cursor is of."""

    epoch: str
    parts: tuple[Any, ...]


def encode_cursor(*place: int | str | datetime, of: str | None = None) -> str:
    """Return the cursor for a place in the list's order, good for as long as no restore undoes that; `of` is the epoch
    where it was read already."""
    history = epoch.current(db.session()) if of is None else of
    parts = [history, *(part.isoformat() if isinstance(part, datetime) else part for part in place)]
    return base64.urlsafe_b64encode(json.dumps(parts, separators=(",", ":")).encode()).rstrip(b"=").decode()


def decode_cursor(cursor: str, *kinds: type[int] | type[str] | type[datetime]) -> tuple[Any, ...]:
    """The place that a cursor was made from, checked against the epoch that there is; as `place_of` and `check_epoch`."""
    place = _place(cursor, kinds)
    check_epoch(place, epoch.current(db.session()))
    return place.parts


def place_of(query: Mapping[str, Any], *kinds: type[int] | type[str] | type[datetime]) -> Place | None:
    """Return the place that the cursor of a query was made from, None for the first page.

    Whoever has read the epoch with the page calls `check_epoch` then.

    Args:
        query: of the list, as `PageQuery` has loaded it.
        kinds: the types of the place's parts.

    Raises:
        Malformed: it is no cursor of such a list.
    """
    return _place(query["cursor"], kinds) if "cursor" in query else None


def check_epoch(place: Place | None, current: str) -> None:
    """Refuse a cursor from before the service was put back to an earlier state (Malformed)."""
    if place is not None and place.epoch != current:
        raise Malformed("cursor_outdated", _OUTDATED)


def _place(cursor: str, kinds: tuple[type[int] | type[str] | type[datetime], ...]) -> Place:
    try:
        history, *place = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
        return Place(history, tuple(_part(part, kind) for part, kind in zip(place, kinds, strict=True)))
    except (TypeError, ValueError, RecursionError):
        refuse("query", {"cursor": [Said("Must be the `next` of a page of this list.")]})


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
    headers = {} if next_cursor is None else {"Link": link_to(next_cursor)}
    return {"items": items, "next": next_cursor}, headers
