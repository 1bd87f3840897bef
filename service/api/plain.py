"""What a plain request about a table is, and its answer: what the modules that answer in front of Flask share."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from service.access import tokens

if TYPE_CHECKING:
    from wsgiref.types import WSGIEnvironment

TABLE = "/v1/(games|solo-sessions)/([A-Za-z0-9]{12})"
"""The path of a table: the pattern of its collection's name and its id."""

KIND = {"games": "match", "solo-sessions": "solo"}
"""The kind of the tables in a collection."""

_BEARER = re.compile(rf"[Bb]earer ({tokens.PATTERN.pattern})")


class Answer(NamedTuple):
    """An answer to a request about a table: its status line, its body (None: it has none), the table's tag and further
    headers."""

    status: str
    body: bytes | None
    tag: str
    headers: tuple[tuple[str, str], ...] = ()


class Unplain(Exception):
    """This request is Flask's to answer."""


def token_of(environ: WSGIEnvironment) -> bytes | None:
    """The SHA-256 of the token that a request brings, None if it has none. Raises Unplain if it is oddly written."""
    if "HTTP_AUTHORIZATION" not in environ:
        return None
    bearer = _BEARER.fullmatch(environ["HTTP_AUTHORIZATION"])
    if bearer is None:
        raise Unplain
    return tokens.hash_of(bearer[1])
