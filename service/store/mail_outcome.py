"""What became of somebody's answer by mail, line by line. It is kept with that mail, and told when the answer is composed:
by then in the reader's language, with the table as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from engine.saying import Said
from service.errors import Refusal
from service.language.visible import cut

PLAYED, LEFT_OUT, REFUSED, UNCLEAR, ASKED = "played", "left_out", "refused", "unclear", "asked"
SAID, NOTED, MUTED, UNMUTED, STOPPED, HELP, HISTORY = "said", "noted", "muted", "unmuted", "stopped", "help", "history"
STATUS, GAMES, RULES = "status", "games", "rules"
OPENED, INVITED, JOINED, SOLO, DECLINED, SIGNED_UP = "opened", "invited", "joined", "solo", "declined", "signed_up"
LANGUAGE = "language"
LIKELY, WHICH_CELL, WHICH_TILE = "likely", "which_cell", "which_tile"
"""Why something is `unclear` as its code has it: a move is likely meant, a cell is missing, a tile is."""

WHATS = (
    *(PLAYED, LEFT_OUT, REFUSED, UNCLEAR, ASKED),
    *(SAID, NOTED, MUTED, UNMUTED, STOPPED, HELP, HISTORY),
    *(STATUS, GAMES, RULES),
    *(OPENED, INVITED, JOINED, SOLO, DECLINED, SIGNED_UP, LANGUAGE),
)
"""What a line can have come to. `left_out` was not tried, as one before it was not played; `asked` was asked back; an
`invited` line is one address of those that `opened` named; `signed_up` made the account; `language` is that of the mails from now on."""

SETTLED = frozenset({PLAYED, SAID, NOTED, MUTED, UNMUTED, DECLINED})
"""Those that went as they were meant, and of which who asked for them need not be told."""

BRIEF = SETTLED | {LANGUAGE, STOPPED, REFUSED, LEFT_OUT, UNCLEAR, ASKED}
"""Those that are told in a sentence, without the table."""

_LONGEST = 80

_HEADER = "letter"
"""The key of `Outcome.header` in the JSON: rows that are stored have it, and wait for a worker of any version."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an answer: as it was `written`, `what` it came to (`WHATS`), the entry that it made by its `seq`, why it
    was refused (`code`, `why`), how to write what it could have meant (`readings`), and the table that it is about, by its
    id, where it began one."""

    written: str
    what: str
    seq: int | None = None
    code: str | None = None
    why: Said | None = None
    readings: tuple[str, ...] = ()
    table: str | None = None


@dataclass(frozen=True, slots=True)
class OriginalHeader:
    """What of somebody's mail its answer needs: who it says that it is from, its subject, and the thread. Of a mail that
    is not from the account's own address its answer has no more than the first."""

    sender: str | None
    subject: str
    message_id: str | None
    references: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an answer.

    `account` is who it was from. None: of nobody who has one; then it is answered if there are `lines`, to the `address`
    that the secret was mailed to, if that is known. `game` is the table that it was about or led to, by its id. `nothing` says what was there in place of a line that fits: `text`, `empty`, `picture`,
    `encrypted`, `calendar`, `attachment`. `elsewhere`: it came from another address than the account's;
    `unproven`: nothing but what it says itself tells that it came from there. `put_down` says
    why it was no answer at all, of a program or a bounce.
    """

    account: str | None = None
    game: str | None = None
    lines: tuple[Line, ...] = ()
    nothing: str | None = None
    elsewhere: bool = False
    put_down: str | None = None
    header: OriginalHeader | None = None
    due: tuple[str, ...] = ()
    address: str | None = None
    unproven: bool = False

    @property
    def is_settled(self) -> bool:
        """Whether all went as it was meant, and who wrote it is known by the address of the account."""
        return self.nothing is None and not self.elsewhere and all(line.what in SETTLED for line in self.lines)

    @property
    def is_brief(self) -> bool:
        """Whether all of it can be told without the table."""
        return self.nothing is None and all(line.what in BRIEF for line in self.lines)

    def to_json(self) -> dict[str, Any]:
        """As plain JSON data."""
        kept = _shallow(self) | {"lines": [_line_to_json(line) for line in self.lines]}
        header = kept.pop("header")
        return kept | {_HEADER: None if header is None else asdict(header)}


def from_json(value: Mapping[str, Any]) -> Outcome:
    """The outcome that was kept so."""
    rest = dict(value)
    header = rest.pop(_HEADER)
    if header:
        header = OriginalHeader(**{**header, "references": tuple(header["references"])})
    return Outcome(
        **{**rest, "lines": tuple(map(_line_from_json, value["lines"])), "header": header, "due": tuple(value["due"])}
    )


def short(text: str) -> str:
    """What somebody wrote, as it is quoted in an answer: the first line, cut where it is long."""
    line = " ".join(text.split("\n", 1)[0].split())
    return cut(line, _LONGEST)


def refused(written: str, refusal: Refusal) -> Line:
    """A line that was refused so."""
    return Line(short(written), REFUSED, code=refusal.code, why=refusal.said)


def _line_to_json(line: Line) -> dict[str, Any]:
    why = None if line.why is None else [line.why.message, {name: _fact(it) for name, it in line.why.facts.items()}]
    return _shallow(line) | {"why": why}


def _shallow(made: Line | Outcome) -> dict[str, Any]:
    return {field.name: getattr(made, field.name) for field in fields(made)}


def _fact(fact: object) -> int | str:
    return fact if isinstance(fact, int) else str(fact)


def _line_from_json(value: Mapping[str, Any]) -> Line:
    why = value["why"] and Said(value["why"][0], value["why"][1])
    return Line(**{**value, "why": why, "readings": tuple(value["readings"])})
