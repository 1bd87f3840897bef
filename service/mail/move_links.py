"""Links that open a mail program with a move already written (RFC 6068): one tap to write, one to send.

Some mail programs cut a mail off after 102 kB, so the links of a mail have a budget. If it is exceeded, first the
subject that they repeat is shortened, and then cells that cover nothing get no link.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from service.language.languages import Language
from service.mail.mailto import encoded, mailto
from service.reading.shown_words import SHOWN

BUDGET = 26_000
"""The most bytes for all links of a mail."""

_MARKUP = 60
"""Bytes of HTML around a link's address."""

_RE = "Re: "
_ELLIPSIS = "…"


class Answering(NamedTuple):
    """The address that a mail is answered at, and the mail's own subject."""

    address: str
    subject: str


@dataclass(frozen=True, slots=True)
class MoveLink:
    """A link that writes a move.

    Attributes:
        letters: the letters of the cell.
        covers: how many goals the tile would cover there; 0 too if that is not told.
        link: the URI.
    """

    letters: str
    covers: int
    link: str


@dataclass(frozen=True, slots=True)
class MoveLinks:
    """The links of a mail: by each choice's number, the one for a refill, and whether some cells have none."""

    of_choice: Mapping[int, Sequence[MoveLink]]
    refill: str
    some_are_missing: bool


def write(to: Answering, covers: Mapping[int, Mapping[str, int]], language: Language) -> MoveLinks:
    """Return the links of a mail.

    Args:
        to: where the answers go.
        covers: for each choice's number, the letters of the open cells with how many goals it would cover there.
        language: the language of the answers.
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


def _move(number: int, letters: str, language: Language) -> str:
    return language.say("choice %(number)s at %(cell)s", number=number, cell=letters)


def _worth_most(cells: Mapping[str, int], most: int) -> Mapping[str, int]:
    """Return the cells that cover most goals, at most `most` of them and in their order; of equal ones the first."""
    if len(cells) <= most:
        return cells
    best = sorted(cells, key=lambda letters: -cells[letters])[:most]
    return {letters: goals for letters, goals in cells.items() if letters in best}


def _answered(subject: str) -> str:
    """Return the subject of an answer, by which some mail programs group mails into threads."""
    return subject if subject.startswith(_RE) else _RE + subject


def _shortened(subject: str, room: int) -> str:
    """Return a subject, shortened if it takes more than `most` bytes once it is encoded."""
    if len(encoded(subject)) <= room:
        return subject
    short = subject
    while len(short) > len(_RE) and len(encoded(short.rstrip() + _ELLIPSIS)) > room:
        short = short[:-1]
    return short.rstrip() + _ELLIPSIS
