"""The lines of a mail, before it is known who wrote them."""

from __future__ import annotations

from typing import NamedTuple

CUT = "\0cut"
"""The text of an invisible marker line: everything after it is the mail that was answered."""


class Line(NamedTuple):
    """A line as it is displayed, and whether the markup says that it is quoted."""

    text: str
    quoted: bool = False
