"""A line of a mail, before it is known who wrote it."""

from __future__ import annotations

from typing import NamedTuple

CUT = "\0cut"
"""The text of a line that nobody sees: what follows, to the end, is a mail that was answered."""


class Line(NamedTuple):
    """A line as it is seen, and whether the mail's markup says that it is quoted."""

    text: str
    quoted: bool = False
