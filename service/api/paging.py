"""Pagination: a cursor says where the next page of a list begins, so that nothing is skipped or repeated.

The response is ``{"items": […], "next": cursor or null}``, with the same in a ``Link`` header (RFC 8288).
"""

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple, NoReturn, TypeVar

from flask import request
from marshmallow import fields

from engine.phrases import Phrase
from service.api.fields import QueryWhole
from service.api.requests import refuse
from service.api.schema import RequestSchema
from service.api.validators import Length, Range
from service.errors import Malformed
from service.store import epoch
from service.store.base import db

_OUTDATED = Phrase("This cursor is of an earlier state of the list; begin again with the first page.")

DEFAULT_LIMIT = 20
MAX_LIMIT = 100

LINK_HEADER = {
    "Link": {
        "description": 'The URL of the next page, as `<…>; rel="next"`, if there is one.',
        "schema": {"type": "string"},
    }
}


TAG_HEADER = {
    "ETag": {
        "description": "The tag of this page. It changes with what the page shows, but not because time passes.",
        "schema": {"type": "string"},
    },
}

PAGE_HEADERS = {**LINK_HEADER, **TAG_HEADER}


Item = TypeVar("Item")


class PageQuery(RequestSchema):
    """The query parameters of a list; derive from it to add filters."""

    cursor = fields.String(
        validate=Length(1, 200),
        metadata={"description": "The `next` of the previous page; without this, you get the first page."},
    )
    limit = QueryWhole(
        load_default=DEFAULT_LIMIT,
        validate=Range(1, MAX_LIMIT),
        metadata={"description": "The most items that the page may have."},
    )


class ListPosition(NamedTuple):
    """A place in a list's order, and the epoch in which its cursor was made."""

    epoch: str
    parts: tuple[Any, ...]


def cut(found: Sequence[Item], limit: int) -> tuple[Sequence[Item], Item | None]:
    """Return a page of a list, and its last item if another page follows it.

    Args:
        found: the items from the beginning of the page on, one more than fit on it if there are so many.
        limit: the most items of the page.
    """
    return (found[:limit], found[limit - 1]) if len(found) > limit else (found, None)


def encode_cursor(*place: int | str | datetime, of: str | None = None) -> str:
    """Return the cursor for a place in a list's order.

    It is valid for the list that is requested, until the service is restored to an earlier state. `of` is the epoch, if
    the caller has read it already.
    """
    history = epoch.current(db.session()) if of is None else of
    parts = [history, _list_number(), *(part.isoformat() if isinstance(part, datetime) else part for part in place)]
    return base64.urlsafe_b64encode(json.dumps(parts, separators=(",", ":")).encode()).rstrip(b"=").decode()


def decode_cursor(cursor: str, *kinds: type[int] | type[str] | type[datetime]) -> tuple[Any, ...]:
    """Return the place that a cursor was made from, checked against the current epoch."""
    place = _place(cursor, kinds)
    check_epoch(place, epoch.current(db.session()))
    return place.parts


def place_of(query: Mapping[str, Any], *kinds: type[int] | type[str] | type[datetime]) -> ListPosition | None:
    """Return the place that the cursor of a query was made from, None for the first page.

    The caller reads the epoch together with the page, and then calls `check_epoch`.

    Args:
        query: the query of the list, loaded by `PageQuery`.
        kinds: the types of the place's parts.

    Raises:
        Malformed: the cursor is not one of such a list.
    """
    return _place(query["cursor"], kinds) if "cursor" in query else None


def check_epoch(place: ListPosition | None, current: str) -> None:
    """Refuse a cursor from before the service was restored to an earlier state (Malformed)."""
    if place is not None and place.epoch != current:
        raise Malformed("cursor_outdated", _OUTDATED)


def refuse_cursor() -> NoReturn:
    """Refuse a cursor that is not the `next` of a page of the list (422)."""
    refuse("query", {"cursor": [Phrase("Must be the `next` of a page of this list.")]})


def _place(cursor: str, kinds: tuple[type[int] | type[str] | type[datetime], ...]) -> ListPosition:
    try:
        decoded = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        history, number, *place = json.loads(decoded)
        if number != _list_number():
            raise ValueError(number)
        return ListPosition(history, tuple(_part(part, kind) for part, kind in zip(place, kinds, strict=True)))
    except (TypeError, ValueError, OverflowError, RecursionError):
        refuse_cursor()


def _list_number() -> int:
    """Return a number for the list that is requested.

    A cursor has it, so that it is not taken for one of another list, whose places may look the same.
    """
    return zlib.crc32(request.path.encode())


def _part(part: object, kind: type[int] | type[str] | type[datetime]) -> int | str | datetime:
    """Return a part of a place as a key, an id or a time that the database accepts; else raise ValueError."""
    if kind is int and type(part) is int and abs(part) < 2**31:
        return part
    if isinstance(part, str) and part.isascii() and part.isprintable():
        if kind is str:
            return part
        if kind is datetime and (at := datetime.fromisoformat(part)).tzinfo is not None:
            return at.astimezone(UTC)  # some times have no year between 1 and 9999 there: OverflowError
    raise ValueError(part)
