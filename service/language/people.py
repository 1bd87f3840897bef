"""The players of a table as a sentence names them; one of them may be the reader."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from engine.bots import signed
from service.language.languages import ENGLISH, Language
from service.language.sanitize import is_right_to_left, one_line

_ISOLATE, _END_ISOLATE = "\u2068", "\u2069"

_NAMES = 4_096
"""The number of names that are cached as they are shown, because sentences about a table repeat them."""


def public_name(name: str | None) -> str | None:
    """Return a player's name as programs and records have it; that of a bot, given by its signature, is English."""
    return name if signed(name) is None else _bot(ENGLISH)


@lru_cache(maxsize=_NAMES)
def display_name(name: str | None, seat: int, language: Language = ENGLISH) -> str:
    """Return a player's name as a line of text, or `Player 2` if there is none (seats are shown counted from 1).

    A bot, which is given by its signature (`engine.bots.signature`), has a name in each language.
    A right-to-left name is isolated, so that it does not affect the order of the words around it.
    """
    if signed(name) is not None:
        return _bot(language)
    shown = one_line(name or "")
    if not shown:
        return language.say("Player %(number)s", number=seat + 1)
    return isolated(shown)


def _bot(language: Language) -> str:
    return language.say("Greedy bot")


def isolated(text: str) -> str:
    """Return the text, isolated if it is in a right-to-left script, so that the words around it keep their order."""
    return f"{_ISOLATE}{text}{_END_ISOLATE}" if is_right_to_left(text) else text


@dataclass(frozen=True, slots=True)
class People:
    """The players' names, for sentences in one language.

    Attributes:
        names: the names by seat, or a bot's signature; None: erased or never given.
        reader: the seat of the reader; None: not a player.
        language: the language of the sentences.
    """

    names: tuple[str | None, ...]
    reader: int | None = None
    language: Language = ENGLISH

    def called(self, seat: int) -> str:
        """Return a player's name; two players with one name are distinguished by their seats."""
        name = self.names[seat]
        shown = display_name(name, seat, self.language)
        if name is None or self.names.count(name) == 1:
            return shown
        return self.language.say("%(name)s (player %(number)s)", name=shown, number=seat + 1)

    def is_bot(self, seat: int) -> bool:
        """Return whether a bot plays the seat from the start."""
        return signed(self.names[seat]) is not None

    def others(self) -> str:
        """Return everybody but the reader as a list of names."""
        return self.language.listed(self.called(seat) for seat in range(len(self.names)) if seat != self.reader)

    def all(self) -> str:
        """Return everybody as a list of names."""
        return self.language.listed(self.called(seat) for seat in range(len(self.names)))
