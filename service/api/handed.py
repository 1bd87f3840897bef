"""What was read for a request in front of Flask, handed on by its environment so that nothing is read twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.queries.table import Reading

if TYPE_CHECKING:
    from wsgiref.types import WSGIEnvironment

_HANDED = "novaluna.reading"


def hand_on(environ: WSGIEnvironment, reading: Reading | Exception) -> None:
    """Give on what was read, or the error that this raised."""
    environ[_HANDED] = reading


def handed_on(environ: WSGIEnvironment) -> Reading | None:
    """What was read for a request that is not answered in front; raises what that reading raised. None: nothing was."""
    handed: Reading | Exception | None = environ.pop(_HANDED, None)
    if isinstance(handed, Exception):
        raise handed
    return handed
