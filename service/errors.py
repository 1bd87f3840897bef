"""The refusals of the service: every way in which a command or a query says no.

A refusal knows nothing of HTTP; ``service.api.errors`` holds the one table that turns each kind into a status.
``code`` is stable and meant for programs, ``detail`` is one English sentence that names what is wrong and what
would be right (``said`` is the same for whoever says it in another language), ``members`` are further facts (a version,
the legal moves) that the answer shows beside them.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from engine.saying import Said


class Refusal(Exception):
    """Something asked for is not done, and nothing was changed.

    Args:
        code: stable snake_case name, part of the API.
        detail: a sentence for people, with its facts kept apart where it has some.
        members: further JSON members of the answer; values must be plain JSON data.
    """

    def __init__(self, code: str, detail: str | Said, **members: Any) -> None:
        self.said = detail if isinstance(detail, Said) else Said(detail)
        self.detail = str(self.said)
        super().__init__(code, self.detail)
        self.code = code
        self.members = members

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}"


class Unreadable(Refusal):
    """The request cannot be read at all: not JSON, or a header that breaks its own rules (400)."""


class Unauthorized(Refusal):
    """There is no valid token (401)."""


class Forbidden(Refusal):
    """The account is known and may not do this (403)."""


class NotFound(Refusal):
    """There is no such thing, or none that this reader may know of (404)."""


class Conflict(Refusal):
    """The state of things does not allow it now (409)."""


class StalePrecondition(Refusal):
    """``If-Match`` names an older state (412)."""


class PreconditionRequired(Refusal):
    """The request must say which version it was made for (428)."""


class Wrong(NamedTuple):
    """One thing that does not fit: in the `body` or the `query`; the name of its field, with dots into nested ones
    (empty: the whole); and what would be right."""

    place: str
    field: str
    right: Said


class Malformed(Refusal):
    """The request can be read and does not fit its schema (422).

    Args:
        wrong: each thing that does not fit.
    """

    def __init__(self, code: str, detail: str | Said, *, wrong: Sequence[Wrong] = (), **members: Any) -> None:
        super().__init__(code, detail, **members)
        self.wrong = wrong


class IllegalMoveRefused(Refusal):
    """A well-formed move that the rules do not allow (422); ``rule`` names the ruling."""


class LimitReached(Refusal):
    """Too many of these in too short a time (429).

    Args:
        retry_after: whole seconds after which it may be tried again.
    """

    def __init__(self, code: str, detail: str | Said, *, retry_after: int, **members: Any) -> None:
        super().__init__(code, detail, **members)
        self.retry_after = retry_after


class Unavailable(Refusal):
    """A part that is needed does not answer (503)."""
