"""Tell the numbers that numbered lists show, as mail programs make one of a line such as `2. B`.

Only the first item has a number here, or one that names its own: what follows may be a list of moves, in which the
number says nothing but the order.
"""

from __future__ import annotations

import re

_NUMBER = re.compile(r"\d{1,2}")
_UNNUMBERED = ("none", "alpha", "roman", "latin", "greek", "disc", "circle", "square")
"""Words of a style by which items have no number, or have letters."""

_PART_OF_MOVE = re.compile(r"(?:[^\W\d]{1,12}\.? ){0,2}\W?[A-Za-z]{1,2}\W{0,3}")
"""A cell, maybe with a word before it: with its number it may be a move. A whole command is left as it is."""


class Numbering:
    """The number of the first item of a list."""

    def __init__(self, first: int | None) -> None:
        self._first = first

    @staticmethod
    def of(tag: str, given: dict[str, str], inside: str, style: str, around: Numbering | None) -> Numbering | None:
        """Return the numbering that holds inside an element; None if items have no numbers there.

        Args:
            tag: the element's name.
            given: its attributes.
            inside: the text of its tag.
            style: its style.
            around: the numbering around it.
        """
        if tag == "ul":
            return None
        if tag != "ol":
            return around
        is_plain = given.get("type", "1") == "1" and "reversed" not in inside.lower().split()
        return Numbering(_number(given.get("start", "1"))) if is_plain and _is_numbered(style) else None

    def next(self, given: dict[str, str], style: str) -> int | None:
        """Return the number of the next item, which has these attributes, or None."""
        number, self._first = _number(given["value"]) if "value" in given else self._first, None
        return number if _is_numbered(style) else None


def numbered(number: int, text: str) -> str:
    """Return the first line of an item, with its number in front if both together may be a move."""
    return f"{number}. {text}" if len(text) < 40 and _PART_OF_MOVE.fullmatch(text) else text


def _number(text: str) -> int | None:
    found = _NUMBER.fullmatch(text.strip())
    return int(found[0]) if found else None


def _is_numbered(style: str) -> bool:
    low = style.lower()
    return "list-style" not in low or not any(word in low for word in _UNNUMBERED)
