"""Checks what the service understood of a mail, as a careful person with the mail before them would.

It is slow, and works by other means than the service: with the parsers of the standard library. It tells whether a
command stands in the part of a mail that is shown and not quoted, and whether a line says that and nothing else.
"""

from __future__ import annotations

import quopri
import re
import unicodedata
from email import policy
from email.message import Message
from email.parser import BytesParser
from html.parser import HTMLParser
from itertools import pairwise

from service.reading import clock_vocabulary
from service.reading.clock_vocabulary import listed
from service.reading.command_words import WHOLE, phrases
from service.reading.commands import (
    AccountSettings,
    Away,
    Command,
    Games,
    Help,
    History,
    Join,
    New,
    Note,
    Pass,
    Pick,
    Rules,
    Say,
    Status,
    Unclear,
    Undo,
)


def bare(text: str) -> str:
    """Return the letters and digits of a line, and the signs that occur in numbers and addresses."""
    folded = unicodedata.normalize("NFKC", text.replace("−", "-")).casefold()
    return "".join(c for c in folded if c.isalnum() or c in "@,-")


def shown(raw: bytes) -> set[str]:
    """Return all lines that some program would show of a mail as not quoted, each as `bare` returns it.

    Programs differ on damaged mails; what any of them shows is included.
    """
    texts: list[str] = []
    pages: list[str] = []
    message = BytesParser(policy=policy.compat32).parsebytes(raw)
    for part in message.walk():
        if not part.is_multipart():
            (pages if part.get_content_type() == "text/html" else texts).extend(_decoded(part))
    texts.extend(_in_sets(raw))
    texts.extend(_in_sets(quopri.decodestring(raw)))
    seen: set[str] = set()
    for text in texts:
        lines = re.split(r"\r\n|\r|\n", text)
        seen.update(bare(line) for line in lines if not line.lstrip().startswith(">"))
        # The lines of a paragraph in format=flowed are shown as one.
        seen.update(bare(one + two) for one, two in pairwise(lines) if one.endswith(" "))
        pages.append(text)
    for page in pages:
        reader = _Page()
        try:
            reader.feed(page)
            reader.close()
        except AssertionError:  # which it raises on some broken declarations
            pass
        seen.update(bare(line) for line in "".join(reader.shown).split("\n"))
    return seen


def _decoded(part: Message) -> list[str]:
    try:
        content = part.get_payload(decode=True)
    except (ValueError, AssertionError):
        return []
    return _in_sets(content) if isinstance(content, bytes) else []


def _in_sets(content: bytes) -> list[str]:
    return [content.decode(name, "replace") for name in ("utf-8", "cp1252", "iso-8859-15")]


_STRIKING = ("s", "strike", "del")


class _Page(HTMLParser):
    """The text of a page without what is quoted or struck out; the first item of a list with its number and without."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[str] = []
        self._quotes = self._strikes = 0
        self._number = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._quotes += tag == "blockquote"
        self._strikes += tag in _STRIKING
        if tag == "ol":
            self._number = dict(attrs).get("start") or "1"
        if tag not in ("a", "b", "i", "em", "strong", "span", "font", "u", "code", "small", "o:p"):
            self.shown.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self._quotes -= tag == "blockquote" and self._quotes > 0
        self._strikes -= tag in _STRIKING and self._strikes > 0
        if tag in ("p", "div", "td", "li", "blockquote", "html", "body"):
            self.shown.append("\n")

    def handle_data(self, data: str) -> None:
        if self._quotes or self._strikes:
            return
        self.shown.append(data)
        if self._number:
            self.shown.append(f"\n{self._number}. {data}\n")
            self._number = ""


def stands(asked: Command, seen: set[str]) -> bool:
    """Return whether a command stands in the shown lines, a move as a line of its own that says nothing else."""
    match asked:
        case Pick():
            return bare(asked.raw) in seen and says(asked.raw, asked)
        case Say(text) | Note(text):
            return any(bare(text[:4]) in there for there in seen)  # a message plays nothing
        case Join(code):
            return any(bare(code) in there for there in seen)
        case Help() | History() | Status() | Games() | Rules() | AccountSettings() | Pass() | Undo():
            return True  # a question plays nothing
        case Away() | Unclear():  # which may be asked back
            said = {_plain(phrase) for phrase in listed(clock_vocabulary.AWAY)}
            return any(bare(phrase) in _plain(there) for phrase in said for there in seen)
        case New(_, addresses):
            return all(any(bare(address) in there for there in seen) for address in addresses)
        case _:
            return any(_is_word(line, asked) for line in seen)


def says(line: str, asked: Pick) -> bool:
    """Return whether a line has the numbers of a pick and no others, and its cell."""
    text = unicodedata.normalize("NFKC", line.replace("−", "-").replace("º", "").replace("ª", ""))
    text = "".join(c for c in text if unicodedata.category(c) != "Cf")  # these are invisible
    numbers = [
        int(number) for number in re.findall(r"(?<![\d@,(])-?\d+|(?<=[@,(])-?\d+", re.sub(r"(?<=\w)-(?=\D)", " ", text))
    ]
    number = asked.tile if asked.choice is None else asked.choice
    if asked.at is not None:
        return [abs(found) for found in numbers] == [number, *(abs(place) for place in asked.at)]
    letters = re.findall(r"[A-Za-z]+", text)
    said = [abs(found) for found in numbers] in ([number], [])
    return said and any(word.upper() == asked.cell for word in letters)


_NUMBERS = {
    1: ("1", "first", "erst", "premi", "primer", "one", "eins"),
    2: ("2", "second", "zweit", "deuxi", "segund", "two", "zwei", "deux", "dos"),
    3: ("3", "third", "dritt", "troisi", "tercer", "three", "drei", "trois", "tres"),
}


def tells(text: str, meaning: str) -> bool:
    """Return whether a text has the number, color and letters of a likely move, as in `choice 2 F` or `b F`."""
    low = _plain(text)
    words = re.findall(r"[a-z]+|\d+", low)
    for word in re.findall(r"\d+|[A-Za-z]+", meaning):
        if word in ("choice", "tile"):
            continue
        if word.isdecimal():
            stems = _NUMBERS.get(int(word), (word,))
            found = any(said.startswith(stems) for said in words)
        elif word.islower():
            found = any(said.startswith(("bl", "az")) for said in words)
        else:
            found = word.lower() in words
        if not found:
            return False
    return True


def _is_word(line: str, asked: Command) -> bool:
    verb = type(asked).__name__.lower()
    words = {
        re.sub(r"\W", "", _plain(phrase))
        for name, listed in WHOLE.items()
        if name == verb
        for phrase in phrases(listed)
    }
    return any(word in re.sub(r"\W", "", _plain(line)) for word in words)


def _plain(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
