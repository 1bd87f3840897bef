"""Find the commands that a mail strikes out, in the sense of a line through the words.

What is struck out is not meant, but it can still be read in the mail's plain text, which has no such line. So a command
that is struck out holds all commands of its mail, like a line that takes them back (`service.reading.corrections`).
"""

from __future__ import annotations

from collections.abc import Iterable

from service.reading.commands import Command, Inquiry, Note, Say
from service.reading.grammar import command
from service.reading.lines import Struck
from service.reading.quoting import MOST_LINES
from service.reading.suggestions import suggest


def strikes(struck: Iterable[Struck]) -> tuple[bool, tuple[Command, ...]]:
    """Return whether a command or a part of one is struck out, and the whole commands that are."""
    is_denied = False
    found: list[Command] = []
    for number, each in enumerate(struck):
        if number == MOST_LINES:
            return True, tuple(found)
        if (asked := command(each.words)) is not None:
            if not isinstance(asked, Inquiry):
                found.append(asked)
                is_denied = True
        elif not is_denied:
            is_denied = _is_part_of_command(each)
    return is_denied, tuple(found)


def _is_part_of_command(each: Struck) -> bool:
    whole = command(each.line)
    if whole is not None:
        return not isinstance(whole, Inquiry | Say | Note)
    return any(close is not None and close.is_move for close in map(suggest, each))
