"""The people at a table as a sentence names them, one of whom may be the reader."""

from __future__ import annotations

from dataclasses import dataclass

from service.language.languages import ENGLISH, Language
from service.language.sanitize import is_right_to_left, one_line

_ISOLATE, _END_ISOLATE = "\u2068", "\u2069"


def display_name(name: str | None, seat: int, language: Language = ENGLISH) -> str:
    """A player's name as a line of text, or `Player 2` (seats are counted from 1 for people) without one.

    A name in a right-to-left script is isolated, so that it leaves the order of the words around it alone.
    """
    shown = one_line(name or "")
    if not shown:
        return language.say("Player %(number)s", number=seat + 1)
    return isolated(shown)


def isolated(text: str) -> str:
    """A text that, if it is in a right-to-left script, leaves the order of the words around it alone."""
    return f"{_ISOLATE}{text}{_END_ISOLATE}" if is_right_to_left(text) else text


@dataclass(frozen=True, slots=True)
class People:
    """The names at a table by seat (None: erased or never given), the seat of the one who reads (None: no player), and
    the language that they are told of in."""

    names: tuple[str | None, ...]
    reader: int | None = None
    language: Language = ENGLISH

    def called(self, seat: int) -> str:
        """A player by name; two of one name are told apart by their seats."""
        name = self.names[seat]
        shown = display_name(name, seat, self.language)
        if name is None or self.names.count(name) == 1:
            return shown
        return self.language.say("%(name)s (player %(number)s)", name=shown, number=seat + 1)

    def others(self) -> str:
        """Everybody but the reader, as a list of names."""
        return self.language.listed(self.called(seat) for seat in range(len(self.names)) if seat != self.reader)

    def all(self) -> str:
        """Everybody, as a list of names."""
        return self.language.listed(self.called(seat) for seat in range(len(self.names)))
