"""What a letter asks for: the first line that fits and those that directly follow it."""

from __future__ import annotations

from dataclasses import dataclass

from service.reading.commands import Command
from service.reading.letter import Letter


@dataclass(frozen=True, slots=True)
class Near:
    """A line that almost fits: as it was written, and each command that it could have meant (there may be none)."""

    line: str
    meant: tuple[Command, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What is asked for, in its order.

    `near` is the line at which reading ended, if it almost fits; then `commands` are those before it. `unread` are the
    lines after that which look like commands and were not taken, as they were written.
    """

    commands: tuple[Command, ...]
    unread: tuple[str, ...]
    near: Near | None


def understand(letter: Letter) -> Answer:
    """What the letter asks for; nothing of an automatic one."""
    raise NotImplementedError
