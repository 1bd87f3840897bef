"""The words of the game as in the printed rules of each language: colors, tiles and goals within a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache

from engine.tiles import LETTERS, TILES
from service.language.languages import ENGLISH, Language


@cache
def colors(language: Language = ENGLISH) -> Mapping[str, str]:
    """Return the words for the colors by their letters, which are the same in all languages."""
    return {
        "b": language.say("blue"),
        "r": language.say("red"),
        "t": language.say("turquoise"),
        "y": language.say("yellow"),
    }


def capital(sentence: str) -> str:
    """Return the sentence with its first letter capitalized."""
    return sentence[:1].upper() + sentence[1:]


def tiles(count: int, language: Language = ENGLISH) -> str:
    """Return a number of tiles: `1 tile`, `9 tiles`."""
    return language.count("%(n)s tile", "%(n)s tiles", count)


def goal_discs(count: int, language: Language = ENGLISH) -> str:
    """Return a number of goal discs: `1 goal disc`, `9 goal discs`."""
    return language.count("%(n)s goal disc", "%(n)s goal discs", count)


def goals(count: int, language: Language = ENGLISH) -> str:
    """Return a number of goals: `1 goal`, `2 goals`."""
    return language.count("%(n)s goal", "%(n)s goals", count)


def letters(needed: dict[str, int], language: Language = ENGLISH) -> str:
    """Return numbers of tiles given by color letter: `2 blue and 1 yellow`."""
    return _letters(tuple(needed.items()), language)


@lru_cache(maxsize=4_096)
def _letters(needed: tuple[tuple[str, int], ...], language: Language) -> str:
    return language.listed(_of_color(letter, count, language) for letter, count in needed)


@cache
def goal(text: str, language: Language = ENGLISH) -> str:
    """Return a goal such as `bby` in words: `2 blue and 1 yellow`."""
    return letters({letter: text.count(letter) for letter in LETTERS if letter in text}, language)


@cache
def tile(number: int, language: Language = ENGLISH) -> str:
    """Return a tile by its number, as in `tile 17 (red, time cost 4)`."""
    found = TILES[number]
    return language.say(
        "tile %(tile)s (%(color)s, time cost %(cost)s)",
        tile=found.id,
        color=colors(language)[found.letter],
        cost=found.cost,
    )


def cell(x: int, y: int) -> str:
    """Return a cell of a display: `(0, -1)`."""
    return f"({x}, {y})"


def _of_color(letter: str, count: int, language: Language) -> str:
    match letter:
        case "b":
            return language.count("%(n)s blue", "%(n)s blue", count)
        case "r":
            return language.count("%(n)s red", "%(n)s red", count)
        case "t":
            return language.count("%(n)s turquoise", "%(n)s turquoise", count)
        case _:
            return language.count("%(n)s yellow", "%(n)s yellow", count)
