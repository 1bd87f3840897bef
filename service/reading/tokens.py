"""A line made plain: what keyboards, phones and word processors put into it taken out, and cut into words and signs."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from service.reading.words import POLITE, phrases

_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−﹣－➖"), "-")
_QUOTES = dict.fromkeys(map(ord, "’‘‚‛`´ʼ"), "'") | dict.fromkeys(map(ord, "“”„‟«»‹›「」『』"), '"')
_ARROWS = dict.fromkeys(map(ord, "→➔➜➝➡⇒⟶"), ">")
_ORDINAL_SIGNS = dict.fromkeys(map(ord, "ªº"), "")
_SIGNS = str.maketrans(_DASHES | _QUOTES | _ARROWS | _ORDINAL_SIGNS | {0x2026: ".", 0x26: "&"})
_BULLET = re.compile(r"(?:[-*•·‣▪●◦○o]\s+(?=\S)|[•·‣▪●◦])")
_AROUND = {'"': '"', "'": "'", "*": "*", "_": "_", "(": ")", "[": "]", "<": ">"}
_TOKEN = re.compile(r"\d+|[^\W\d_]+(?:'[^\W\d_]*)?|\S")

_POLITE = "|".join(map(re.escape, sorted(phrases(POLITE), key=len, reverse=True)))
_BEFORE = re.compile(rf"(?:{_POLITE})(?:[ ,.!:;]+|$)")
_AFTER = re.compile(rf"(?:^|[ ,.!:;]+)(?:{_POLITE})$")


class Token(NamedTuple):
    """A number, a word or a sign as it was written, in small letters without accents too, and whether a space stands before
    it."""

    text: str
    low: str
    spaced: bool


def tidy(line: str) -> str:
    """The line on one line, with ASCII signs and digits, and without what is not seen, bullets, pictures at its ends, and
    what stands around all of it. Accents and capitals stay."""
    if line.isascii() and line.isprintable():
        text = line
    else:
        # There are signs that are 18 letters long when they are taken apart.
        text = unicodedata.normalize("NFKC", line.translate(_SIGNS))[: len(line) + 200].translate(_SIGNS)
        text = "".join(" " if c.isspace() else c for c in text if c.isspace() or not _is_unseen(c))
    text = " ".join(text.split())
    before = None
    while text and text != before:
        before = text
        text = _without_pictures(text).strip()
        if (found := _BULLET.match(text)) and text[:1] != "o":
            text = text[found.end() :]
        if len(text) > 2 and _AROUND.get(text[0]) == text[-1] and text[-1] not in text[1:-1]:
            text = text[1:-1].strip()
    return text


def simple(text: str) -> str:
    """A tidy text without accents, in small letters."""
    return unaccented(text).casefold()


def unaccented(text: str) -> str:
    """A text without accents."""
    if text.isascii():
        return text
    letters = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", "".join(c for c in letters if not unicodedata.combining(c)))


def without_manners(text: str) -> str:
    """A tidy text without full stops at its end and polite words at either end; letters stay as they are."""
    before = None
    while text != before:
        before = text
        text = text.strip(" ,;¡").rstrip(" .!:")
        low = simple(text)
        if len(low) != len(text):  # an odd letter that changes its length: leave it
            return text
        if found := _BEFORE.match(low):
            text = text[found.end() :]
        elif found := _AFTER.search(low):
            text = text[: found.start()]
    return text


def tokens(text: str) -> list[Token]:
    """The words, numbers and signs of a tidy text."""
    return [
        Token(found[0], unaccented(found[0]).casefold(), found.start() == 0 or text[found.start() - 1] == " ")
        for found in _TOKEN.finditer(text)
    ]


def _is_unseen(character: str) -> bool:
    return unicodedata.category(character) in ("Cf", "Cc") or character in "\ufe0e\ufe0f"


def _without_pictures(text: str) -> str:
    start, end = 0, len(text)
    while start < end and _is_picture(text[start]):
        start += 1
    while end > start and _is_picture(text[end - 1]):
        end -= 1
    return text[start:end]


def _is_picture(character: str) -> bool:
    return character != "\ufffd" and (unicodedata.category(character) in ("So", "Sk") or character == " ")
