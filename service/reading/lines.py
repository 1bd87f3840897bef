"""The lines of a mail, before it is known who wrote them."""

from __future__ import annotations

from typing import NamedTuple

CUT = "\0cut"
"""The text of an invisible marker line: everything after it is the mail that was answered."""

SIGNATURE = "\x1f"
"""A blank line above what the markup says is a signature, and below a mail of ours that is quoted without marks.

Nothing below it is meant for the others at the table, unless it is a message.
"""

UNCERTAIN = "\x1e"
"""A blank line above what may be the end of a quoted mail of ours. A command below it is asked about."""


class Struck(NamedTuple):
    """The words of a line that the markup strikes out, and the whole line with them."""

    words: str
    line: str


class Line(NamedTuple):
    """A line as it is displayed, whether the markup says that it is quoted, and what it strikes out.

    Words that are struck out are not in `text`.
    """

    text: str
    quoted: bool = False
    struck: Struck | None = None
