"""Which version a move was made for: `If-Match` with the game's ETag, or `expected_version` in the body."""

import re

from flask import request

from service.commands.play import Expectation
from service.errors import PreconditionRequired, StalePrecondition

_TAG = re.compile(r"([0-9]{1,9})-[0-9]{1,9}")

PARAMETER = {
    "in": "header",
    "name": "If-Match",
    "required": False,
    "description": "The ETag of the game's view that the move was chosen by; a stale one is answered with 412. Only its"
    " version counts: a changed name makes no move stale. It decides where `expected_version` is given too.",
    "schema": {"type": "string"},
    "example": '"3-1"',
}


def expectation(expected_version: int | None, needed: bool) -> Expectation | None:
    """The versions that this request names, None for any (none named, or `If-Match: *`).

    `If-Match` decides if both are given; weak ETags, and what is no ETag of a game, match nothing. If one is `needed`
    and neither is given, this raises PreconditionRequired.
    """
    if "If-Match" in request.headers:
        if request.if_match.star_tag:
            return None
        tags = (_TAG.fullmatch(tag) for tag in request.if_match.as_set())
        return Expectation(frozenset(int(tag[1]) for tag in tags if tag), StalePrecondition)
    if expected_version is not None:
        return Expectation((expected_version,))
    if needed:
        raise PreconditionRequired(
            "version_required",
            "Say which version the move is for: expected_version in the body, or If-Match with the game's ETag.",
        )
    return None
