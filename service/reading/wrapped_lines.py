"""Join the lines of a command that a mail program has wrapped, or that somebody has written on several lines."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from service.reading.commands import Away, Command, MoreTime, New, Quiet, Reminders, Unclear
from service.reading.grammar import begins_table, command

_LONGEST = 2_000
_MOST_LINES = 5

_LONG = New | Quiet | Away | Reminders | MoreTime
"""The commands that may be long enough to be wrapped."""


def unwrapped(lines: Sequence[str | None]) -> list[str | None]:
    """Return the lines, those joined that give one command together which says more than its first line alone."""
    joined: list[str | None] = []
    after = 0
    while after < len(lines):
        line, after = lines[after], after + 1
        while line and line.strip() and (found := _together(line, lines[after : after + _MOST_LINES])) is not None:
            line, count = found
            after += count
        joined.append(line)
    return joined


def _together(line: str, below: Sequence[str | None]) -> tuple[str, int] | None:
    """Return a line with the lines below it that complete it, and how many these are; None if it is complete."""
    asked = command(line)
    if not (isinstance(asked, _LONG | Unclear) or (asked is None and begins_table(line))):
        return None
    parts = list(takewhile(_goes_on, (part or "" for part in below)))
    for count in range(len(parts), 0, -1):
        for between in (" ", ", "):
            whole = between.join(map(str.strip, [line, *parts[:count]]))
            meant: Command | None = command(whole) if len(whole) <= _LONGEST else None
            if isinstance(meant, _LONG) and meant != asked:
                return whole, count
    return None


def _goes_on(line: str) -> bool:
    return bool(line.strip()) and isinstance(command(line), Unclear | None)
