"""The refusals of the service: every way in which a command or a query says no.

A refusal knows nothing about HTTP; ``service.api.errors`` holds the one table that maps each class to a status.
``code`` is stable and meant for programs. ``detail`` is one English sentence that says what is wrong and what would be
right, and ``phrase`` is the same, ready to be translated. ``members`` are further facts for the response (a version,
the legal moves).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from engine.phrases import Phrase


class Refusal(Exception):
    """A request was refused, and nothing was changed.

    Args:
        code: a stable snake_case name, part of the API.
        detail: a sentence for people; a `Phrase` keeps its values apart from the text.
        members: further JSON members of the response; the values must be plain JSON data.
    """

    def __init__(self, code: str, detail: str | Phrase, **members: Any) -> None:
        self.phrase = detail if isinstance(detail, Phrase) else Phrase(detail)
        self.detail = str(self.phrase)
        super().__init__(code, self.detail)
        self.code = code
        self.members = members

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}"


class Unreadable(Refusal):
    """The request cannot be parsed: it is not JSON, or a header breaks its own syntax (400)."""


class Unauthorized(Refusal):
    """There is no valid access token (401)."""


class Forbidden(Refusal):
    """The account is known, but is not allowed to do this (403)."""


class NotFound(Refusal):
    """The thing does not exist, or this reader is not allowed to know of it (404)."""


class NotAcceptable(Refusal):
    """The client accepts none of the media types that there are (406)."""


class Conflict(Refusal):
    """The current state does not allow it (409)."""


class Gone(Refusal):
    """The thing was there once, and is no longer kept (410)."""


class StalePrecondition(Refusal):
    """The ``If-Match`` header names an older state (412)."""


class PreconditionRequired(Refusal):
    """The request must state which version it was made for (428)."""


class Wrong(NamedTuple):
    """One invalid value in a request.

    Attributes:
        place: where it is: in the `body` or the `query`.
        field: the name of its field, with dots for nested ones; empty: the whole.
        right: what would be right.
    """

    place: str
    field: str
    right: Phrase


class WrongMediaType(Refusal):
    """The body is of a media type that this address does not take (415)."""


class WrongContentEncoding(Refusal):
    """The body is encoded, such as compressed, in a way that this service does not decode (415)."""


class Malformed(Refusal):
    """The request was parsed, but does not match its schema (422).

    Args:
        wrong: each value that does not match.
    """

    def __init__(self, code: str, detail: str | Phrase, *, wrong: Sequence[Wrong] = (), **members: Any) -> None:
        super().__init__(code, detail, **members)
        self.wrong = wrong


class IllegalMoveRefused(Refusal):
    """A well-formed move that the rules do not allow (422); the member ``rule`` names the ruling."""


class Policy(NamedTuple):
    """A limit as clients see it: its name, the amount that is allowed, and the seconds of its window."""

    name: str
    amount: int
    seconds: int


class LimitReached(Refusal):
    """Too many requests of one kind in too short a time (429).

    Args:
        retry_after: whole seconds after which the request may be repeated.
        policy: the limit that was reached, if it is one of an amount in a window.
    """

    def __init__(
        self, code: str, detail: str | Phrase, *, retry_after: int, policy: Policy | None = None, **members: Any
    ) -> None:
        super().__init__(code, detail, **members)
        self.retry_after = retry_after
        self.policy = policy


class Unavailable(Refusal):
    """A part of the service that is needed does not answer (503)."""
