"""JSON responses that are assembled by hand, because this is on the hot path.

To serialize by a schema takes several times as long as the statement that reads the data. So frequent responses are
assembled from values here; their schemas document them, and tests check the one against the other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from flask import Response, request

JSON = "application/json"

encode = json.JSONEncoder(separators=(",", ":")).encode
"""Encode a value as JSON. The encoder is made once: to make one takes longer than most uses of it."""


def json_response(value: object, headers: Mapping[str, str] | None = None) -> Response:
    """Return a response with a value as JSON."""
    return Response(encode(value), headers=headers, content_type=JSON)


def page_response(items: Sequence[str], next_cursor: str | None) -> Response:
    """Return a response with a page of a list; `items` are in JSON, `next_cursor` is None on the last page."""
    following = "null" if next_cursor is None else encode(next_cursor)
    headers = {} if next_cursor is None else {"Link": link_to(next_cursor)}
    return Response(f'{{"items":[{",".join(items)}],"next":{following}}}', headers=headers, content_type=JSON)


def link_to(next_cursor: str) -> str:
    """Return the ``Link`` header (RFC 8288) to the page after the one requested."""
    target = f"{request.path}?{urlencode({**request.args.to_dict(), 'cursor': next_cursor})}"
    return f'<{target}>; rel="next"'
