"""Convert HTML to the lines that a reader sees, and mark those that quote another mail.

The standard library's parser is not used, because some texts take it quadratic time. This one makes a single pass and
never fails. It shows what a browser shows: block elements make lines, white space is collapsed, and hidden elements are
left out. Of the marks that mail programs leave, it knows those that say where the quoted mail is:

    blockquote                              used by nearly all; not Gmail's indent, which has no border
    gmail_attr, moz-cite-prefix, reply-intro       the line above a quote
    yahoo_quoted, protonmail_quote, tutanota_quote, name="quote", data-marker="__QUOTED_TEXT__", a left border
    divRplyFwdMsg, Outlook's line at the top       what follows, to the end, is the quoted mail

Elements marked as signatures are read like any other, because people write their reply inside them; a blank line of its
own kind stands above each (`service.reading.lines.SIGNATURE`). Struck-out words are left out of a line and noted beside
it. The items of a numbered list get their numbers back where these may be part of a move: mail programs make a list of
`2. B`.
"""

from __future__ import annotations

import re
from html import unescape
from typing import NamedTuple

from service.reading.lines import CUT, SIGNATURE, Line, Struck
from service.reading.list_numbers import Numbering, numbered
from service.reading.markup_marks import cuts, is_hidden, is_quoted, is_signature, is_struck, keeps_space

_DEEPEST = 1_000
_LONGEST_TAG = 4_000
_MOST_LINES = 6_000
_MOST_TAGS = 60_000
"""The number of tags that are read: some twenty of our own mails, one quoted below the other. The rest is left out."""


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_VOID = _names("area base br col embed hr img input link meta param source track wbr")
_RAW = _names("script style title textarea xmp iframe noembed noframes")
_UNSEEN = _names("head template select svg math datalist")
_BLOCK = _names(
    "address article aside blockquote body center dd details "
    "div dl dt fieldset figcaption figure footer form h1 h2 h3 h4"
    " h5 h6 header hr html li main nav ol p pre section summary table tbody tfoot thead tr ul"
)
_SPACED = _names("p ul ol dl h1 h2 h3 h4 h5 h6 blockquote pre table")

_CELL = " | "
"""The separator between the cells of a table row. With it, a number beside a letter in a table is no move."""

_MARKUP = re.compile(r"<(?=/?[a-zA-Z]|[!?])")
"""The beginning of markup. Any other `<` is text."""

_NAME = re.compile(r"/?([a-zA-Z][^\s/>]{0,40})")
_ATTRIBUTE = re.compile(r"""([a-zA-Z][\w:.-]{0,40})(?:\s{0,20}=\s{0,20}("[^"]*"|'[^']*'|[^\s"'>]+))?""")
_END_OR_QUOTE = re.compile(r""">|=\s{0,20}(["'])""")
_SPACE = re.compile(r"[ \t\n\r\f]+")


class _Open(NamedTuple):
    tag: str
    hidden: bool = False
    pre: bool = False
    struck: bool = False
    numbering: Numbering | None = None

    def shows_like(self, other: _Open) -> bool:
        """Return whether text in both elements can stand on one line."""
        return (self.hidden, self.pre) == (other.hidden, other.pre)


def lines_of(html: str) -> list[Line]:
    """Return the lines of an HTML page."""
    page = _Page(html)
    page.read()
    return page.lines


class _Page:
    def __init__(self, html: str) -> None:
        self._html = html.replace("\0", "")
        self.lines: list[Line] = []
        self._words: list[str] = []  # of this line, without those that are struck out
        self._all_words: list[str] = []  # the same with them
        self._struck_words: list[str] = []
        self._number: int | None = None  # of the item of a list that begins with this line
        self._open = [_Open("")]
        self._no_more: set[str] = set()

    def read(self) -> None:
        html, at = self._html, 0
        for _ in range(_MOST_TAGS):
            if at >= len(html) or len(self.lines) >= _MOST_LINES or len(self._open) >= _DEEPEST:
                break
            tag = _MARKUP.search(html, at)
            self._text(html[at : tag.start() if tag else len(html)])
            if tag is None:
                break
            at = self._markup(tag.start())
        self._end_line()

    def _markup(self, at: int) -> int:
        """Read the markup that begins with this `<`, and return where it ends."""
        html = self._html
        if html.startswith("<!--", at):
            return self._past("-->", at + 2)
        if html[at + 1 : at + 2] in ("!", "?"):
            return self._past(">", at)
        found = _NAME.match(html, at + 1)
        assert found is not None, "it is markup"
        end = self._tag_end(found.end())
        tag = found[1].lower()
        if html[at + 1] == "/":
            self._close(tag)
        elif tag in _RAW:
            return self._element_end(tag, end)
        else:
            return self._element(tag, html[found.end() : min(end - 1, found.end() + _LONGEST_TAG)], end)
        return end

    def _element_end(self, tag: str, at: int) -> int:
        """Return where a skipped element ends, leaving out elements of the same name inside it."""
        mark = re.compile(rf"<!--|<(/?){re.escape(tag)}\b", re.IGNORECASE)
        depth = 1
        while depth and (found := mark.search(self._html, at)):
            if found[1] is None:
                at = self._past("-->", found.end())
            else:
                depth += -1 if found[1] else tag not in _RAW
                at = self._past(">", found.end())
        return len(self._html) if depth else at

    def _tag_end(self, at: int) -> int:
        """Return where a tag ends: after the first `>` outside a quoted value."""
        soon = self._html.find(">", at)
        if soon >= 0 and soon - at < _LONGEST_TAG:
            inside = self._html[at:soon]
            if "'" not in inside and not inside.count('"') % 2:
                return soon + 1
        while found := _END_OR_QUOTE.search(self._html, at):
            if found[1] is None:
                return found.end()
            closing = -1 if found[1] in self._no_more else self._html.find(found[1], found.end())
            if closing < 0:
                self._no_more.add(found[1])
                at = found.end()  # an unclosed quotation mark: the next `>` ends the tag
            else:
                at = closing + 1
        return len(self._html)

    def _past(self, what: str, at: int) -> int:
        found = self._html.find(what, at)
        return len(self._html) if found < 0 else found + len(what)

    def _element(self, tag: str, inside: str, end: int) -> int:
        """Open an element, and return where reading continues."""
        if (tag in _BLOCK and self._open[-1].tag == "head") or (tag == "p" and self._open[-1].tag == "p"):
            self._close(self._open[-1].tag)  # an element whose end tag is missing
        around = self._open[-1]
        given = (
            {name.lower(): value.strip("\"'") for name, value in _ATTRIBUTE.findall(inside)} if "=" in inside else {}
        )
        style = given.get("style", "")
        if tag == "br":
            self._end_line(even_empty=True)
        elif tag == "hr":
            self._end_line()
            self._line("_" * 32)
        elif tag in ("td", "th"):
            self._add(_CELL)
        if tag in _BLOCK:
            self._end_line(blank=tag in _SPACED)
        if is_signature(tag, given):
            self._end_line()
            self._line(SIGNATURE)
        if tag in _VOID or (inside.endswith("/") and tag not in _BLOCK):
            return end
        if is_quoted(tag, given, style):
            self._end_line()
            self._line(">", quoted=True)
            return self._element_end(tag, end)
        if cuts(given, style):
            self._line(CUT)
        element = _Open(
            tag,
            around.hidden or tag in _UNSEEN or is_hidden(given, inside, style),
            around.pre or tag == "pre" or keeps_space(style),
            around.struck or is_struck(tag, style),
            Numbering.of(tag, given, inside, style, around.numbering),
        )
        if not element.shows_like(around):
            self._end_line()
        if tag == "li":
            number = element.numbering.next(given, style) if element.numbering else None
            self._number = None if element.hidden else number
        self._open.append(element)
        return end

    def _close(self, tag: str) -> None:
        for depth in range(len(self._open) - 1, max(0, len(self._open) - 100), -1):
            if self._open[depth].tag == tag:
                if tag in _BLOCK or not self._open[depth - 1].shows_like(self._open[-1]):
                    self._end_line(blank=tag in _SPACED)
                if tag == "li":
                    self._number = None
                del self._open[depth:]
                return
        if tag in ("p", "br"):  # browsers treat a stray end tag as a line break
            self._end_line(even_empty=True)

    def _text(self, text: str) -> None:
        if not text or self._open[-1].hidden:
            return
        if "&" in text:
            try:
                text = unescape(text)
            except ValueError:  # a character reference with thousands of digits
                pass
        if not self._open[-1].pre:
            self._add(_SPACE.sub(" ", text))
            return
        first, *more = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._add(first)
        for line in more[:_MOST_LINES]:
            self._end_line(even_empty=True)
            self._add(line)

    def _add(self, text: str) -> None:
        self._all_words.append(text)
        (self._struck_words if self._open[-1].struck else self._words).append(text)

    def _end_line(self, *, even_empty: bool = False, blank: bool = False) -> None:
        text, struck = self._joined(self._words), self._joined(self._struck_words)
        whole = self._joined(self._all_words) if struck else ""
        self._words.clear()
        self._struck_words.clear()
        self._all_words.clear()
        if self._number is not None and (text or struck):
            text, whole = numbered(self._number, text), numbered(self._number, whole)
            struck, self._number = struck if text else whole, None
        if text or struck or even_empty:
            self._line(text, struck=Struck(struck, whole) if struck else None)
        if blank and self.lines and self.lines[-1].text:
            self._line("")

    def _joined(self, words: list[str]) -> str:
        text = "".join(words)
        return text.strip(_CELL) if self._open[-1].pre else _SPACE.sub(" ", text).strip(_CELL)

    def _line(self, text: str, *, quoted: bool = False, struck: Struck | None = None) -> None:
        if len(self.lines) < _MOST_LINES:
            self.lines.append(Line(text, quoted, struck))
