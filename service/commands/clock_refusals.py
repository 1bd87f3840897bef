"""Turn the errors of clock arithmetic into refusals, by their codes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from engine.clock.errors import ClockError
from engine.phrases import Phrase, phrase
from service.errors import Conflict, Forbidden, Malformed, Wrong

_CONFLICTS = frozenset({"no_clock", "game_over"})
_NOT_ALLOWED = frozenset({"not_yours_to_give"})

REASON = (1, 200)
"""The length limits, in characters, of the host's reason (7.3)."""


@contextmanager
def refusing(version: int = 0) -> Iterator[None]:
    """Raise a ClockError of the block as the refusal for its code: a conflict, not allowed, or a wrong value."""
    try:
        yield
    except ClockError as error:
        if error.code in _CONFLICTS:
            raise Conflict(error.code, error.phrase, version=version) from error
        if error.code in _NOT_ALLOWED:
            raise Forbidden(error.code, error.phrase) from error
        raise Malformed(error.code, error.phrase, wrong=[Wrong("body", error.field, error.phrase)]) from error


def check_reason(reason: str) -> None:
    """Refuse a reason of the host that is empty or too long."""
    if not REASON[0] <= len(reason.strip()) or len(reason) > REASON[1]:
        why = phrase("The reason has %(least)s to %(most)s characters.", least=REASON[0], most=REASON[1])
        raise Malformed("bad_reason", why)


def not_running(version: int) -> Conflict:
    """Return the refusal for a game that has not started or is over."""
    return Conflict("not_running", Phrase("This can only be done while the game is running."), version=version)
