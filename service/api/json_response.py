"""Answers in JSON that are rendered by hand: this module is on the hot path.

A dump by a schema takes several times as long as the statement that it shows. So what is read often is put together here
from values, and its schema documents it; the contract's tests hold the one to the other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from flask import Response, request

JSON = "application/json"

encode = json.JSONEncoder(separators=(",", ":")).encode
"""The JSON of a value; made once, as making one takes longer than many a use."""


def json_response(value: object, headers: Mapping[str, str] | None = None) -> Response:
    """Return the answer that says a value."""
    return Response(encode(value), headers=headers, content_type=JSON)


def page_response(items: Sequence[str], next_cursor: str | None) -> Response:
    """Return a page of a list, of items in JSON; `next_cursor` is None on the last one."""
    following = "null" if next_cursor is None else encode(next_cursor)
    headers = {} if next_cursor is None else {"Link": link_to(next_cursor)}
    return Response(f'{{"items":[{",".join(items)}],"next":{following}}}', headers=headers, content_type=JSON)


def link_to(next_cursor: str) -> str:
    """Return the ``Link`` (RFC 8288) to the page that follows the one of this request."""
    target = f"{request.path}?{urlencode({**request.args.to_dict(), 'cursor': next_cursor})}"
    return f'<{target}>; rel="next"'
