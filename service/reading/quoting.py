"""Separate what the sender of a mail wrote from what they quoted.

A line that begins with `>`, or that the markup marks as quoted, is a quote. An attribution such as `On … wrote:` is not
the sender's either. If the text below it is not marked as quoted, the rest of the mail is the quoted mail; the same
holds for a header block and `-----Original Message-----`, and below the first line of our own mails. A reply may
still follow a whole mail of ours (`service.reading.unmarked_quotes`).

Nothing below a signature mark counts, that is below `-- ` in all its spellings, or below the footer that a phone adds.
The mark holds to the end of the mail, or to the end of a quote of several lines, as a reply may follow such a quote.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from service.language.answer_line import is_answer_line
from service.reading import attribution
from service.reading.footers import is_footer
from service.reading.grammar import command
from service.reading.lines import CUT, SIGNATURE, UNCERTAIN, Line, Struck
from service.reading.unmarked_quotes import commands_below, end_of_ours

_MARK = re.compile(r"[\s\ufeff\u200b]{0,12}(?:>|&gt;|\|\s|[›»](?![^‹«]*[‹«]))")
_SIGNATURE = re.compile(r"[-‐‑‒–—―−_=~*·•#+⸺⸻─━]{2,}$|[–—―⸺⸻]$")
_LONGEST_MARK = 100
_A_QUOTE = 3
"""The number of consecutive quoted lines that ends a signature. Fewer may be part of the signature itself."""
_LONGEST_HEADERS = 18
"""The number of lines in which the header block above a quoted mail ends."""

_LONGEST_GLUED = 600
_GLUED = re.compile(
    r"(?<=\S)\s+(?=Sent from my |Von meinem \S{2,20} gesendet|Envoyé de mon |Enviado desde mi |(?:On|Am|Le|El) \S)"
)

MOST_LINES = 500
"""The most unquoted lines that are read, not counting empty ones. Nobody writes more."""

_WRAPPED = 66
"""The length from which a quoted line may have been wrapped by a program that marks only its first half."""


@dataclass(frozen=True, slots=True)
class WrittenText:
    """The lines that the sender wrote.

    Attributes:
        lines: the sender's lines; None stands where something else was left out.
        signature: the lines below the signature mark.
        struck: what the sender struck out; none of it is in the lines.
    """

    lines: tuple[str | None, ...]
    signature: tuple[str, ...]
    struck: tuple[Struck, ...] = ()

    @property
    def is_empty(self) -> bool:
        """True if there is nothing to read."""
        return not self.struck and not any(line and line.strip() for line in self.lines + self.signature)


def written_text(found: Sequence[Line]) -> WrittenText:
    """Return the text that the sender wrote, without quotes."""
    lines = [line for whole in found for line in _apart(whole)]
    foreign = [line.quoted or bool(_MARK.match(line.text[:40])) for line in lines]
    _halves(lines, foreign)
    ends = _mark(lines, foreign)
    written: list[str | None] = []
    signature: list[str] = []
    struck: list[Struck] = []
    signed, quoted = False, 0
    for at, (line, is_foreign) in enumerate(zip(lines, foreign, strict=True)):
        if at in ends:
            written.append(ends[at])
        quoted = quoted + 1 if is_foreign else 0
        if is_foreign:
            signed = signed and quoted < _A_QUOTE
            if not written or written[-1] is not None:
                written.append(None)
        elif signed:
            signature.append(line.text)
        elif is_signature_mark(line.text):
            signed = True
            written.append(None)
        else:
            if line.struck is not None:
                struck.append(line.struck)
            if line.text or line.struck is None:
                written.append(line.text)
    return WrittenText(tuple(written), tuple(signature), tuple(struck))


def is_signature_mark(text: str) -> bool:
    """Return whether a signature begins below a line: a line of dashes or similar, or a footer added by a program."""
    if len(text) > _LONGEST_MARK:
        return is_footer(text)
    return _SIGNATURE.match("".join(text.split())) is not None or (is_footer(text) and command(text) is None)


def _apart(line: Line) -> Iterator[Line]:
    """Split off what a program glued to the end of a line: a footer, or the attribution above a quote."""
    if not line.quoted and len(line.text) < _LONGEST_GLUED:
        for found in islice(_GLUED.finditer(line.text), 4):
            tail = line.text[found.end() :]
            is_behind = any(map(str.isalnum, line.text[: found.start()]))
            if is_behind and (is_footer(tail) or attribution.attribution([tail])):
                yield line._replace(text=line.text[: found.start()])
                yield line._replace(text=tail)
                return
    yield line


def _halves(lines: Sequence[Line], foreign: list[bool]) -> None:
    """Mark the second half of a wrapped quoted line: a line between two quoted lines, of which the first is long."""
    for at in range(1, len(lines) - 1):
        before = lines[at - 1].text
        wedged = not foreign[at] and foreign[at - 1] and foreign[at + 1] and not lines[at - 1].quoted
        if wedged and len(before) >= _WRAPPED and before.rstrip()[-1:] not in ".!?:":
            foreign[at] = True


def _mark(lines: Sequence[Line], foreign: list[bool]) -> dict[int, str]:
    """Mark the attributions above quotes, and the mails that are quoted without marks.

    Returns:
        where such mails end, with the blank line to put there. What a gateway adds at the end of a mail is below it, so
        what stands there is for the others only if it is a command.
    """
    at = seen = 0
    ends: dict[int, str] = {}
    texts = [line.text for line in lines]
    while at < len(lines):
        if foreign[at] or not texts[at].strip():
            at += 1
            continue
        seen += 1
        if seen > MOST_LINES:
            foreign[at:] = [True] * (len(lines) - at)
            break
        end = _introduction(texts, foreign, at)
        if end is None:
            at, is_certain = _rest(texts, foreign, at)
            ends[at] = SIGNATURE if is_certain else UNCERTAIN
            continue
        foreign[at:end] = [True] * (end - at)
        at = max(end, at + 1)
    return ends


def _introduction(texts: list[str], foreign: list[bool], at: int) -> int | None:
    """Return where the lines end that introduce a quote here, or None if the quoted mail is not marked."""
    text = texts[at]
    if text == CUT or is_answer_line(text):
        return None
    if attribution.separator(text) or _is_headers(texts, foreign, at):
        return _marked_quote(texts, foreign, at)
    end = at + attribution.attribution(_block(texts, foreign, at, attribution.MOST_LINES))
    if end == at:
        return at
    following = next((place for place in range(end, len(texts)) if texts[place].strip()), None)
    return end if following is None or foreign[following] else None


def _block(texts: list[str], foreign: list[bool], at: int, most: int) -> list[str]:
    """Return the next lines that are not quoted, up to a number of them."""
    end = at
    while end < len(texts) and end < at + most and not foreign[end]:
        end += 1
    return texts[at:end]


def _is_headers(texts: list[str], foreign: list[bool], at: int) -> bool:
    text = texts[at][:80]
    if ":" not in text and not attribution.rule(text):
        return False
    return attribution.headers(_block(texts, foreign, at, _LONGEST_HEADERS))


def _marked_quote(texts: list[str], foreign: list[bool], at: int) -> int | None:
    """Return where the quote begins that the header block or attribution here announces, if it is marked; else None.

    Between the two stands nothing, so that what follows the quote without a mark is the sender's.
    """
    block = _block(texts, foreign, at, _LONGEST_HEADERS)
    quote = at + len(block)
    while block and (attribution.separator(block[0]) or attribution.rule(block[0]) or not block[0].strip()):
        block.pop(0)
    while block and not block[-1].strip():
        block.pop()
    is_whole = (
        not block
        or attribution.attribution(block) == len(block)
        or (all(map(str.strip, block)) and attribution.headers(block) and attribution.is_header(block[-1]))
    )
    return quote if is_whole and quote < len(texts) and foreign[quote] else None


def _rest(texts: list[str], foreign: list[bool], at: int) -> tuple[int, bool]:
    """Mark the mail that begins here without marks; return where it ends, and whether that is certain."""
    unmarked = ["" if is_foreign else text for text, is_foreign in zip(texts[at:], foreign[at:], strict=True)]
    end = end_of_ours(unmarked)
    is_certain = end is not None
    if end is None:
        end = commands_below(unmarked)
    end = len(texts) if end is None else at + end
    foreign[at:end] = [True] * (end - at)
    return end, is_certain
