"""Links that open the reader's mail program with an answer already written (RFC 6068): one tap to write, one to send. Pure.

Some mail programs cut a mail off after 102 kB. So the links of one mail have a budget: where it does not last, the subject
that they repeat is shortened first, and then the cells that cover nothing go without.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote

from service.language.languages import Language
from service.reading.words import SHOWN

BUDGET = 26_000
"""Bytes that all links of a mail take at most."""

_MARKUP = 60
"""Bytes of HTML around a link's address."""

_RE = "Re: "
_ELLIPSIS = "…"


class Answering(NamedTuple):
    """Where a mail is answered to, and its own subject."""

    address: str
    subject: str


@dataclass(frozen=True, slots=True)
class MoveLink:
    """A link that writes a move: the letters of the cell, how many goals the tile would cover there (0 as well where
    that is not told), and the link."""

    letters: str
    covers: int
    link: str


@dataclass(frozen=True, slots=True)
class MoveLinks:
    """The links of a mail: by the number of each choice, that of a refill, and whether cells had to go without."""

    of_choice: Mapping[int, Sequence[MoveLink]]
    refill: str
    some_are_missing: bool


def write(to: Answering, covers: Mapping[int, Mapping[str, int]], language: Language) -> MoveLinks:
    """Write the links of a mail.

    Args:
        to: where the answers go.
        covers: by the number of each choice, the letters of the open cells with how many goals it would cover there.
        language: in which the answers are written.
    """
    longest = max((_move(number, letters, language) for number in covers for letters in covers[number]), key=len)
    bare = len(mailto(to.address, "", longest)) + _MARKUP
    each = max(1, BUDGET // bare // max(1, len(covers)))
    kept = {number: _worth_most(cells, each) for number, cells in covers.items()}
    links = sum(map(len, kept.values())) + 1
    subject = _shortened(_answered(to.subject), BUDGET // links - bare)
    return MoveLinks(
        {
            number: [
                MoveLink(letters, goals, mailto(to.address, subject, _move(number, letters, language)))
                for letters, goals in cells.items()
            ]
            for number, cells in kept.items()
        },
        mailto(to.address, subject, SHOWN[language.code]["refill"]),
        any(len(kept[number]) < len(cells) for number, cells in covers.items()),
    )


def mailto(address: str, subject: str, body: str) -> str:
    """Return the URI of a mail to an address; line ends and all that is not plain ASCII are percent-encoded."""
    local, _, domain = address.rpartition("@")
    return f"mailto:{_quoted(local)}@{_quoted(domain)}?subject={_quoted(subject)}&body={_quoted(body)}"


def _move(number: int, letters: str, language: Language) -> str:
    return language.say("choice %(number)s at %(cell)s", number=number, cell=letters)


def _worth_most(cells: Mapping[str, int], most: int) -> Mapping[str, int]:
    """Return so many of the cells at most, in their order: those that cover most, and then those that come first."""
    if len(cells) <= most:
        return cells
    best = sorted(cells, key=lambda letters: -cells[letters])[:most]
    return {letters: goals for letters, goals in cells.items() if letters in best}


def _answered(subject: str) -> str:
    """Return the subject of an answer, by which mail programs put a thread together."""
    return subject if subject.startswith(_RE) else _RE + subject


def _shortened(subject: str, room: int) -> str:
    """Return a subject, or its beginning, that takes so many bytes at most once it is encoded."""
    if len(_quoted(subject)) <= room:
        return subject
    short = subject
    while len(short) > len(_RE) and len(_quoted(short.rstrip() + _ELLIPSIS)) > room:
        short = short[:-1]
    return short.rstrip() + _ELLIPSIS


def _quoted(text: str) -> str:
    return quote(text, safe="")
