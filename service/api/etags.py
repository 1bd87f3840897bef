"""ETags of tables, ``"{version}-{revision}-{head}"``, and conditional requests (RFC 9110, 13)."""

from typing import Any

from flask import Response

from service.api import responses
from service.api.flask_adapter import current_request, to_flask
from service.api.openapi_annotations import View, annotate

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

_UNCHANGED: dict[str, Any] = {
    "description": "The response that you have is still current.",
    "headers": {"ETag": {"description": "The ETag of the response that you have.", "schema": {"type": "string"}}},
}


def conditional(view: View) -> View:
    """Document that a view supports ``If-None-Match``, by calling ``not_modified`` (a decorator)."""
    return annotate(view, parameters=(_HEADER,), operation={"responses": {"304": _UNCHANGED}})


def etag(version: int, revision: int, head: str) -> str:
    """Return the ETag, with its quotes, of a table at a version, revision and head."""
    return f'"{version}-{revision}-{head}"'


def not_modified(tag: str) -> Response | None:
    """Return the 304 to this GET if its ``If-None-Match`` matches the tag (weak comparison, or ``*``), else None."""
    bare = tag.strip('"')
    return to_flask(responses.not_modified(bare)) if current_request().knows(bare) else None
