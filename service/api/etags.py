"""ETags of tables: ``"{version}-{revision}-{head}"``, and requests that depend on one (RFC 9110, 13)."""

from typing import Any

from flask import Response

from service.api import responses
from service.api.documented import View, annotate
from service.api.flask_adapter import current_request, to_flask

_HEADER: dict[str, Any] = {
    "in": "header",
    "name": "If-None-Match",
    "required": False,
    "description": "The ETag of the answer that you have, or several; if it still holds, the answer is 304.",
    "schema": {"type": "string"},
    "example": '"2-2-9f86d081"',
}
IF_MATCH: dict[str, Any] = {
    "in": "header",
    "name": "If-Match",
    "required": False,
    "description": "The ETag of the game's view that the move was chosen by; a stale one is answered with 412. It"
    " decides where `expected_version` is given too.",
    "schema": {"type": "string"},
}
"""The header `If-Match` of a move. It has no example, as each game's ETag is its own."""

_UNCHANGED: dict[str, Any] = {
    "description": "What you have still holds.",
    "headers": {"ETag": {"description": "Of what you have.", "schema": {"type": "string"}}},
}


def conditional(view: View) -> View:
    """Decorator: documents that a view answers ``If-None-Match``, which it does by ``not_modified``."""
    return annotate(view, parameters=(_HEADER,), operation={"responses": {"304": _UNCHANGED}})


def etag(version: int, revision: int, head: str) -> str:
    """Return the ETag, quotes included, of a table at this version, of this head, and revision."""
    return f'"{version}-{revision}-{head}"'


def not_modified(tag: str) -> Response | None:
    """Return the 304 to this GET if its ``If-None-Match`` names the tag (weakly compared, or ``*``), else None."""
    bare = tag.strip('"')
    return to_flask(responses.not_modified(bare)) if current_request().knows(bare) else None
