"""Which version a move was made for: `If-Match` with the game's ETag, or `expected_version` in the body."""

from typing import Any

from flask import request

from service.commands.play import Expectation
from service.errors import PreconditionRequired, StalePrecondition

PARAMETER: dict[str, Any] = {
    "in": "header",
    "name": "If-Match",
    "required": False,
    "description": "The ETag of the game's view that the move was chosen by; a stale one is answered with 412. It"
    " decides where `expected_version` is given too.",
    "schema": {"type": "string"},
}
"""The header `If-Match` for the document. It has no example, as each game's ETag is its own."""


def expectation(expected_version: int | None, needed: bool) -> Expectation | None:
    """The state that this request names, None for any (none named, or `If-Match: *`).

    `If-Match` decides if both are given; weak ETags match nothing (RFC 9110, 13.1.1). If one is `needed`
    and neither is given, this raises PreconditionRequired.
    """
    if "If-Match" in request.headers:
        if request.if_match.star_tag:
            return None
        return Expectation(request.if_match.as_set(), StalePrecondition)
    if expected_version is not None:
        return Expectation((expected_version,))
    if needed:
        raise PreconditionRequired(
            "version_required",
            "Say which version the move is for: expected_version in the body, or If-Match with the game's ETag.",
        )
    return None
