"""JSON responses that are assembled by hand, because this is on the hot path.

To serialize by a schema takes several times as long as the statement that reads the data. So frequent responses are
assembled from values here; their schemas document them, and tests check the one against the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from urllib.parse import urlencode

from flask import Response, request

from service.api.etags import not_modified
from service.api.json_text import encode

JSON = "application/json"
_TAG_DIGITS = 16


def json_response(value: object, headers: Mapping[str, str] | None = None) -> Response:
    """Return a response with a value as JSON."""
    return Response(encode(value), headers=headers, content_type=JSON)


def page_response(items: Sequence[str], next_cursor: str | None, timeless: Sequence[str] = ()) -> Response:
    """Return a response with a page of a list, or 304 if the client has it.

    Args:
        items: the items in JSON.
        next_cursor: the cursor of the next page; None on the last page.
        timeless: texts that change with what the items show, but not because time passes; without them, the items.
    """
    following = "null" if next_cursor is None else encode(next_cursor)
    headers = {} if next_cursor is None else {"Link": link_to(next_cursor)}
    body = f'{{"items":[{",".join(items)}],"next":{following}}}'
    return _tagged((*(timeless or items), following), body, headers)


def list_response(items: Sequence[str]) -> Response:
    """Return a response with a list that has no further pages, its items in JSON, or 304 if the client has it."""
    return _tagged(items, f'{{"items":[{",".join(items)}]}}', {})


def _tagged(shown: Sequence[str], body: str, headers: Mapping[str, str]) -> Response:
    tag = sha256("\n".join(shown).encode()).hexdigest()[:_TAG_DIGITS]
    if (unchanged := not_modified(tag)) is not None:
        return unchanged
    return Response(body, headers={"ETag": f'"{tag}"', **headers}, content_type=JSON)


def link_to(next_cursor: str) -> str:
    """Return the ``Link`` header (RFC 8288) to the page after the one requested."""
    target = f"{request.path}?{urlencode({**request.args.to_dict(), 'cursor': next_cursor})}"
    return f'<{target}>; rel="next"'
