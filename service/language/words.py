"""The words of the game: numbers, colours, tiles and goals as a sentence has them."""

from __future__ import annotations

from collections.abc import Iterable

from engine.tiles import COLORS, LETTERS, TILES

COLOR = dict(zip(LETTERS, COLORS, strict=True))
"""The colours' words by their letters."""

_NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]


def number(count: int) -> str:
    """A number in words up to twelve, in digits above; nothing is "no"."""
    return _NUMBERS[count] if 0 <= count < len(_NUMBERS) else str(count)


def counted(count: int, thing: str) -> str:
    """A number of things: `one tile`, `nine tiles`. The plural takes an s."""
    return f"{number(count)} {thing}{'' if count == 1 else 's'}"


def listed(items: Iterable[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    words = list(items)
    return f" {last} ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def capital(sentence: str) -> str:
    """The sentence with its first letter large."""
    return sentence[:1].upper() + sentence[1:]


def letters(needed: dict[str, int]) -> str:
    """Numbers of tiles by their colour's letter: `2 blue and 1 yellow`."""
    return listed(f"{count} {COLOR[letter]}" for letter, count in needed.items())


def goal(text: str) -> str:
    """A goal such as `bby`: `2 blue and 1 yellow`."""
    return letters({letter: text.count(letter) for letter in LETTERS if letter in text})


def tile(number_: int) -> str:
    """A tile by its number, as in `tile 17 (red, time cost 4)`."""
    found = TILES[number_]
    return f"tile {found.id} ({found.color}, time cost {found.cost})"


def cell(x: int, y: int) -> str:
    """A cell of a display: `(0, -1)`."""
    return f"({x}, {y})"
