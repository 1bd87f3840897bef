"""Normalize a line and split it into words and signs.

What keyboards, phones and word processors add is removed: typographic quotes and dashes, bullets, emoji.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from service.reading.command_words import POLITE, phrases

_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−﹣－➖"), "-")
_QUOTES = dict.fromkeys(map(ord, "’‘‚‛`´ʼ"), "'") | dict.fromkeys(map(ord, "“”„‟«»‹›「」『』"), '"')
_ARROWS = dict.fromkeys(map(ord, "→➔➜➝➡⇒⟶"), ">")
_ORDINAL_SIGNS = dict.fromkeys(map(ord, "ªº"), "")
_LETTERS = {0x1F170: "A", 0x1F171: "B", 0x1F17E: "O", 0x1F17F: "P"}
"""The letters that there are as emoji."""

_SIGNS = str.maketrans(_DASHES | _QUOTES | _ARROWS | _ORDINAL_SIGNS | _LETTERS | {0x2026: ".", 0x26: "&"})
_BOLD = re.compile(r"([*_]{2,3})(?!\s)([^*_]+)(?<!\s)\1")
_ALIKE = str.maketrans("АЕКМОТаекмотΑΒΕΖΙΚΜΝΟΤ", "AEKMOTaekmotABEZIKMNOT")
"""Cyrillic and Greek letters that have the shape and the sound of a Latin one.

Others, such as a Cyrillic В, might be meant for either of two cells.
"""

_ALONE = re.compile(rf"(?<![^\W\d_])[{''.join(map(chr, _ALIKE))}]{{1,2}}(?![^\W\d_])")
_OF_EMOJI = "\ufe0e\ufe0f\u20e3"
"""What makes a character an emoji, or a digit a key."""

_BULLET = re.compile(r"(?:[-*•·‣▪●◦○o]\s+(?=\S)|[•·‣▪●◦])")
_AROUND = {'"': '"', "'": "'", "*": "*", "_": "_", "(": ")", "[": "]", "<": ">"}
_TOKEN = re.compile(r"\d+|[^\W\d_]+(?:'[^\W\d_]*)?|\S")

_POLITE = "|".join(map(re.escape, sorted(phrases(POLITE), key=len, reverse=True)))
_BEFORE = re.compile(rf"(?:{_POLITE})(?:[ ,.!:;]+|$)")
_AFTER = re.compile(rf"(?:^|[ ,.!:;]+)(?:{_POLITE})$")


class Token(NamedTuple):
    """A number, a word or a sign.

    Attributes:
        text: as it was written.
        low: in lower case and without accents.
        spaced: whether a space stands in front of it.
    """

    text: str
    low: str
    spaced: bool


def tidy(line: str) -> str:
    """Return a text on one line, with ASCII signs and digits, and with Latin letters for cells.

    Invisible characters, bullets, emoji at either end and whatever encloses the whole line are removed. Accents and
    capitals stay.
    """
    if line.isascii() and line.isprintable():
        text = line
    else:
        # A single sign may become as many as 18 letters when it is decomposed.
        text = unicodedata.normalize("NFKC", line.translate(_SIGNS))[: len(line) + 200].translate(_SIGNS)
        text = "".join(" " if c.isspace() else c for c in text if c.isspace() or not _is_unseen(c))
        text = _ALONE.sub(lambda found: found[0].translate(_ALIKE), text)
    text = " ".join(text.split())
    before = None
    while text and text != before:
        before = text
        text = _without_pictures(text).strip()
        if (found := _BULLET.match(text)) and text[:1] != "o":
            text = text[found.end() :]
        if len(text) > 2 and _AROUND.get(text[0]) == text[-1] and text[-1] not in text[1:-1]:
            text = text[1:-1].strip()
        text = _unbolded(text)
    return text


def undecorated(line: str) -> str:
    """Return a line as it was written, but for a bullet, emoji and spaces in front, and what encloses it."""
    text, before = line.strip(), None
    while text and text != before:
        before = text
        text = _without_pictures(text, at_end=False).strip()
        if (found := _BULLET.match(text)) and text[:1] != "o":
            text = text[found.end() :]
        first, last = (sign.translate(_SIGNS) for sign in (text[:1], text[-1:]))
        if len(text) > 2 and _AROUND.get(first) == last and last not in text[1:-1].translate(_SIGNS):
            text = text[1:-1].strip()
        text = _unbolded(text)
    return text


def simple(text: str) -> str:
    """Return a text in lower case and without accents, the form in which the words of commands are listed."""
    return unaccented(text).casefold()


def unaccented(text: str) -> str:
    """Return a text without accents."""
    if text.isascii():
        return text
    letters = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", "".join(c for c in letters if not unicodedata.combining(c)))


def without_manners(text: str) -> str:
    """Return a tidy text without the periods at its end and without polite words at either end.

    Letters stay as they are.
    """
    before = None
    while text != before:
        before = text
        text = text.strip(" ,;¡").rstrip(" .!:")
        low = simple(text)
        if len(low) != len(text):  # a letter whose length changes, so positions would not match
            return text
        if found := _BEFORE.match(low):
            text = text[found.end() :]
        elif found := _AFTER.search(low):
            text = text[: found.start()]
    return text


def tokens(text: str) -> list[Token]:
    """Split a tidy text into words, numbers and signs."""
    return [
        Token(found[0], unaccented(found[0]).casefold(), found.start() == 0 or text[found.start() - 1] == " ")
        for found in _TOKEN.finditer(text)
    ]


def _unbolded(text: str) -> str:
    """Return a text without the asterisks or underscores that make the whole of it bold."""
    found = _BOLD.fullmatch(text)
    return found[2] if found else text


def _is_unseen(character: str) -> bool:
    return unicodedata.category(character) in ("Cf", "Cc") or character in _OF_EMOJI


def _without_pictures(text: str, *, at_end: bool = True) -> str:
    start, end = 0, len(text)
    while start < end and (_is_picture(text[start]) or _is_unseen(text[start])):
        start += 1
    while at_end and end > start and _is_picture(text[end - 1]):
        end -= 1
    return text[start:end]


def _is_picture(character: str) -> bool:
    return character != "\ufffd" and (unicodedata.category(character) in ("So", "Sk") or character == " ")
