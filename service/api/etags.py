"""ETags of tables, ``"{version}-{revision}-{head}"``, and conditional requests (RFC 9110, 13)."""

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from flask import Response

from service.api import responses
from service.api.flask_adapter import current_request, to_flask
from service.api.openapi_annotations import View, annotate

CACHE_CONTROL = "public, max-age=300"
"""The Cache-Control of a document that is the same for everybody."""

_HEADER: dict[str, Any] = {
    "in": "header",
    "name": "If-None-Match",
    "required": False,
    "description": "The ETag of the response that you have, or several ETags; if one is current, the answer is 304.",
    "schema": {"type": "string"},
    "example": '"2-2-9f86d081"',
}
IF_MATCH: dict[str, Any] = {
    "in": "header",
    "name": "If-Match",
    "required": False,
    "description": "The ETag of the game at which the move was chosen; if it is stale, the answer is 412. It takes"
    " precedence over `expected_version`.",
    "schema": {"type": "string"},
}
"""The header `If-Match` of a move. It has no example, because every game has another ETag."""

_IF_MATCH_OF_ANY = {
    **IF_MATCH,
    "description": "The ETag of what you have decided by; if it is stale, nothing is done, and the answer is 412.",
}
_UNCHANGED: dict[str, Any] = {
    "description": "The response that you have is still current.",
    "headers": {"ETag": {"description": "The ETag of the response that you have.", "schema": {"type": "string"}}},
}


def conditional(view: View) -> View:
    """Document that a view supports ``If-None-Match``, by calling ``not_modified`` (a decorator)."""
    return annotate(view, parameters=(_HEADER,), operation={"responses": {"304": _UNCHANGED}})


def takes_if_match(view: View) -> View:
    """Document that a view, whose command gets `ApiRequest.if_match`, supports ``If-Match`` (a decorator)."""
    return annotate(view, refuses=(412,), parameters=(_IF_MATCH_OF_ANY,))


def etag(version: int, revision: int, head: str) -> str:
    """Return the ETag, with its quotes, of a table at a version, revision and head."""
    return f'"{version}-{revision}-{head}"'


def not_modified(tag: str) -> Response | None:
    """Return the 304 to this GET if its ``If-None-Match`` matches the tag (weak comparison, or ``*``), else None."""
    bare = tag.strip('"')
    return to_flask(responses.not_modified(bare)) if current_request().knows(bare) else None


def cacheable(content: str | bytes, media_type: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return a response that any cache may keep for a while, and revalidate by its ETag; or the 304 to this request."""
    tag = _tag(content)
    response = not_modified(tag) or Response(content, mimetype=media_type)
    response.headers.update({"ETag": tag, "Cache-Control": CACHE_CONTROL, **(headers or {})})
    return response


@lru_cache(maxsize=64)
def _tag(content: str | bytes) -> str:
    encoded = content.encode() if isinstance(content, str) else content
    return f'"{hashlib.sha256(encoded).hexdigest()[:16]}"'
