"""Take a text apart line by line: its tags, entries, comments, variations and result, before anything is played."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from engine.notation.entry_lines import WrittenEntry, WrittenVariation, comment_text, is_data_mark, parse_entry
from engine.notation.errors import Refusal
from engine.notation.tags import parse_tag

MOST_BYTES = 1 << 20
"""The largest text of a game."""

MOST_CHARACTERS = 65_536
"""The most characters of a line."""

DEEPEST = 8
"""How deep variations may lie in each other."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f]")
_LATIN_CONTROL = re.compile(r"[\x7f-\x9f]")
_COMMENT_BEHIND = re.compile(r"(?:[ \t]|(?<=^\*))#")


@dataclass(slots=True)
class Source:
    """The parts of a text with the numbers of their lines.

    Attributes:
        tags: the values of the tags.
        tag_lines: the numbers of their lines.
        comments: the comments before the first entry.
        entries: the entries, each with the comments and variations that follow it.
        result: the result as it is written.
        result_line: its line.
        last_line: the last line with something in it.
    """

    tags: dict[str, str] = field(default_factory=dict)
    tag_lines: dict[str, int] = field(default_factory=dict)
    comments: list[str] = field(default_factory=list)
    entries: list[WrittenEntry] = field(default_factory=list)
    result: str = ""
    result_line: int = 0
    last_line: int = 0

    @property
    def first_line(self) -> int:
        """The line of the first entry, or of the result if there is none."""
        return self.entries[0].line if self.entries else self.result_line


def parse_source(data: bytes) -> Source:
    """Return the parts of the text of one game.

    Raises:
        Refusal: a line is not what may stand there, or there is no result.
    """
    if len(data) > MOST_BYTES:
        raise Refusal(0, "too_long", "The text of a game has at most 1 MiB.")
    reading = _Reading()
    for line, raw in enumerate(data.removeprefix(_BYTE_ORDER_MARK).split(b"\n"), 1):
        text = _decode(line, raw)
        if text:
            reading.source.last_line = line
            reading.take(line, text)
    if not reading.source.result_line:
        raise Refusal(reading.source.last_line, "no_result", "The text ends without a result; a running game has *.")
    return reading.source


def _decode(line: int, raw: bytes) -> str:
    """Return the text of a line without white space at its ends."""
    try:
        text = raw.removesuffix(b"\r").decode()
    except UnicodeDecodeError:
        raise Refusal(line, "bad_utf8", "This is not UTF-8.") from None
    if len(text) > MOST_CHARACTERS:
        raise Refusal(line, "too_long", f"A line has at most {MOST_CHARACTERS} characters.")
    found = _CONTROL.search(text)
    text = text.strip(" \t")
    if (found is None and not text.isascii()) or "\x7f" in text:
        found = _control_outside_data(line, text)
    if found is not None:
        raise Refusal(line, "bad_character", f"There is a control character, U+{ord(found[0]):04X}.")
    return text


def _control_outside_data(line: int, text: str) -> re.Match[str] | None:
    """Return a control of U+007F to U+009F, which RFC 8785 does not escape, unless it is in the data of a mark."""
    found = _LATIN_CONTROL.search(text)
    if found is None or "mark" not in text.lower():
        return found
    begins = is_data_mark(line, text)
    return found if begins is None or found.start() < begins else None


class _Reading:
    """The state between two lines: the parts so far, and the variations that are open."""

    def __init__(self) -> None:
        self.source = Source()
        self._open: list[WrittenVariation] = []
        self._moved = False

    def take(self, line: int, text: str) -> None:
        """Take in a line that is not empty."""
        source = self.source
        if text.startswith("#"):
            self._comment(comment_text(text))
        elif source.result_line:
            raise Refusal(line, "after_result", "After the result come comments only.")
        elif text.startswith("["):
            self._tag(line, text)
        elif text.startswith(("*", "=")):
            self._result(line, text)
        else:
            self._moved = True
            if text == "(":
                self._begin(line)
            elif text == ")":
                self._end(line)
            else:
                self._entry(line, text)

    def _tag(self, line: int, text: str) -> None:
        name, value = parse_tag(line, text)
        if name in self.source.tags:
            raise Refusal(line, "repeated_tag", f"The tag {name:.60} stands here twice.")
        if self._moved:
            raise Refusal(line, "tag_after_moves", "Tags stand before the moves.")
        self.source.tags[name] = value
        self.source.tag_lines[name] = line

    def _result(self, line: int, text: str) -> None:
        if self._open:
            raise Refusal(line, "bad_variation", "A variation is still open.")
        self.source.result_line = line
        if found := _COMMENT_BEHIND.search(text):
            self._comment(comment_text(text[found.end() - 1 :]))
            text = text[: found.start()].rstrip(" \t")
        self.source.result = text

    def _begin(self, line: int) -> None:
        entries = self._open[-1].entries if self._open else self.source.entries
        if not entries:
            raise Refusal(line, "bad_variation", "A variation stands after the entry that it replaces; there is none.")
        if len(self._open) == DEEPEST:
            raise Refusal(line, "bad_variation", f"Variations lie at most {DEEPEST} deep in each other.")
        variation = WrittenVariation()
        entries[-1].notes.append(variation)
        self._open.append(variation)

    def _end(self, line: int) -> None:
        if not self._open:
            raise Refusal(line, "bad_variation", "No variation is open that could end here.")
        if not self._open.pop().entries:
            raise Refusal(line, "bad_variation", "A variation has at least one move.")

    def _entry(self, line: int, text: str) -> None:
        entry = parse_entry(line, text, varied=bool(self._open))
        (self._open[-1].entries if self._open else self.source.entries).append(entry)
        if entry.comment is not None:
            self._comment(entry.comment)

    def _comment(self, text: str) -> None:
        level = self._open[-1] if self._open else self.source
        (level.entries[-1].notes if level.entries else level.comments).append(text)
