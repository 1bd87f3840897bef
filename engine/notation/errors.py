"""The refusal of a text: a line and a stable code."""

from __future__ import annotations

from engine.errors import EngineError
from engine.phrases import Phrase

CODES = (
    "bad_utf8",
    "too_long",
    "bad_character",
    "bad_tag",
    "unknown_tag",
    "repeated_tag",
    "tag_after_moves",
    "bad_move",
    "bad_time",
    "bad_by",
    "bad_variation",
    "after_result",
    "no_result",
    "bad_value",
    "bad_draw",
    "missing_tag",
    "bad_number",
    "illegal",
    "wrong_seat",
    "tiles_unknown",
    "bad_info",
    "times_partial",
    "bad_result",
    "bad_head",
)
"""All codes of refusals; they are stable, because programs rely on them."""


class Refusal(EngineError):
    """A text is refused.

    Attributes:
        line: the number of the line at fault, from 1; 0 stands for the whole text.
    """

    def __init__(self, line: int, code: str, detail: str | Phrase) -> None:
        super().__init__(code, detail)
        self.line = line
