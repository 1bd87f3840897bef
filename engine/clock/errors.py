"""The error for durations and clock settings that are not valid."""

from __future__ import annotations

from engine.errors import EngineError
from engine.phrases import Phrase


class ClockError(EngineError):
    """A duration, a clock or a ladder is not one that a game can have.

    Attributes:
        field: the name of the wrong value, with dots for nested ones; empty if the whole is wrong.
    """

    def __init__(self, code: str, detail: str | Phrase, field: str = "") -> None:
        super().__init__(code, detail)
        self.field = field
