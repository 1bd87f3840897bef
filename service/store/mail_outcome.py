"""The outcome of a mail, line by line.

It is stored with the mail and shown when the reply is composed, in the reader's language and with the table as it is by
then.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from engine.clock.errors import ClockError
from engine.phrases import Phrase
from service.errors import Refusal
from service.language.visible import cut

PLAYED, LEFT_OUT, REFUSED, UNCLEAR, ASKED = "played", "left_out", "refused", "unclear", "asked"
SAID, NOTED, MUTED, UNMUTED, STOPPED, HELP, HISTORY = "said", "noted", "muted", "unmuted", "stopped", "help", "history"
STATUS, GAMES, RULES, SETTINGS = "status", "games", "rules", "settings"
OPENED, INVITED, JOINED, SOLO, DECLINED, SIGNED_UP = "opened", "invited", "joined", "solo", "declined", "signed_up"
LANGUAGE, REMATCH = "language", "rematch"
AWAY, BACK, QUIET, MORE_TIME, KEPT, REMINDERS = "away", "back", "quiet", "more_time", "kept", "reminders"
BLOCKED, UNBLOCKED = "blocked", "unblocked"
STILL_ASKED = "still_asked"
INVITATION, CODE = "invitation", "code"
"""The codes of a `still_asked` line: what the answered mail brought; its id is in the facts."""

LIKELY, WHICH_CELL, WHICH_TILE, EXAMPLE = "likely", "which_cell", "which_tile", "example"
"""The codes of an `unclear` line.

A move was probably meant, a cell is missing, a tile is missing, or its readings are examples of what it may be.
"""

WHATS = (
    *(PLAYED, LEFT_OUT, REFUSED, UNCLEAR, ASKED),
    *(SAID, NOTED, MUTED, UNMUTED, STOPPED, HELP, HISTORY),
    *(STATUS, GAMES, RULES, SETTINGS),
    *(OPENED, INVITED, JOINED, SOLO, DECLINED, SIGNED_UP, LANGUAGE, REMATCH),
    *(AWAY, BACK, QUIET, MORE_TIME, KEPT, REMINDERS),
    *(BLOCKED, UNBLOCKED),
    STILL_ASKED,
)
"""The possible results of a line.

`left_out` was not tried, because an earlier line was not played; `asked` needs a confirmation; an `invited` line is one
of the addresses that an `opened` line named; `signed_up` created the account; `language` changed the language of future
mails; `rematch` opened a table for a rematch; `still_asked` asks once more what the answered mail asked.
"""

SETTLED = frozenset({PLAYED, SAID, NOTED, MUTED, UNMUTED, DECLINED})
"""The results that are as intended, and of which the sender need not be told."""

OF_TIME = frozenset({AWAY, BACK, QUIET, MORE_TIME, KEPT, REMINDERS})
"""The results of commands about absences, quiet times, clocks and reminders."""

ASKING = frozenset({UNCLEAR, ASKED, STILL_ASKED})
"""The results that ask the sender something."""

BRIEF = SETTLED | OF_TIME | ASKING | {SETTINGS, LANGUAGE, BLOCKED, UNBLOCKED, STOPPED, REFUSED, LEFT_OUT}
"""The results that a sentence tells without the table."""

_LONGEST = 80

_HEADER = "letter"
"""The JSON key of `Outcome.header`. Stored rows have it, and wait for a worker of any version."""


@dataclass(frozen=True, slots=True)
class Line:
    """The result of one line of a mail.

    Attributes:
        written: the line as it was written.
        what: one of `WHATS`.
        seq: the seq of the entry that it made, or None.
        code: the code of the reason why it was refused or is unclear, or None.
        why: that reason in words, or None.
        readings: how to write what it could have meant.
        table: the id of the table that it started or joined, or None.
        facts: what else the answer tells, such as times and the ids of games.
    """

    written: str
    what: str
    seq: int | None = None
    code: str | None = None
    why: Phrase | None = None
    readings: tuple[str, ...] = ()
    table: str | None = None
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OriginalHeader:
    """The parts of a mail's header that the reply needs: the sender, the subject and the thread.

    A reply to a mail from an address other than the account's uses only the sender.
    """

    sender: str | None
    subject: str
    message_id: str | None
    references: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a mail.

    Attributes:
        account: the account that it is from. If it is None, the mail is answered only if there are `lines`, at
            `address`.
        game: the id of the table that it was about or led to, or None.
        lines: the result of each line.
        nothing: what the mail has in place of a command: `text`, `empty`, `subject`, `picture`, `encrypted`, `calendar`
            or `attachment`; None if it has one.
        elsewhere: whether it came from an address other than the account's.
        put_down: why it gets no reply at all, such as a bounce; None if it may get one.
        header: what the reply needs of its header.
        due: whom a reply is still due to.
        address: the address that the secret was mailed to, if the account is unknown.
        unproven: whether only the mail itself says that it is from the account.
        language: the code of the language of a reply to somebody without an account; None: English.
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
    language: str | None = None

    @property
    def is_settled(self) -> bool:
        """True if everything went as intended, and the mail came from the account's own address."""
        return self.nothing is None and not self.elsewhere and all(line.what in SETTLED for line in self.lines)

    @property
    def is_brief(self) -> bool:
        """True if everything can be told without the table."""
        return self.nothing is None and all(line.what in BRIEF for line in self.lines)

    def to_json(self) -> dict[str, Any]:
        """Return the outcome as plain JSON data."""
        kept = _shallow(self) | {"lines": [_line_to_json(line) for line in self.lines]}
        header = kept.pop("header")
        if self.language is None:  # workers of earlier releases know no such key
            del kept["language"]
        return kept | {_HEADER: None if header is None else asdict(header)}


def from_json(value: Mapping[str, Any]) -> Outcome:
    """Return the outcome for JSON data made by `Outcome.to_json`."""
    rest = dict(value)
    header = rest.pop(_HEADER)
    if header:
        header = OriginalHeader(**{**header, "references": tuple(header["references"])})
    return Outcome(
        **{**rest, "lines": tuple(map(_line_from_json, value["lines"])), "header": header, "due": tuple(value["due"])}
    )


def short(text: str) -> str:
    """Return the first line of a text, cut to the length at which a reply quotes it."""
    line = " ".join(text.split("\n", 1)[0].split())
    return cut(line, _LONGEST)


def refused(written: str, refusal: Refusal | ClockError) -> Line:
    """Return the result of a line that was refused for this reason."""
    return Line(short(written), REFUSED, code=refusal.code, why=refusal.phrase)


def _line_to_json(line: Line) -> dict[str, Any]:
    why = None if line.why is None else [line.why.message, {name: _fact(it) for name, it in line.why.facts.items()}]
    kept = _shallow(line) | {"why": why}
    if not line.facts:  # workers of earlier releases know no such key
        del kept["facts"]
    return kept


def _shallow(made: Line | Outcome) -> dict[str, Any]:
    return {each.name: getattr(made, each.name) for each in fields(made)}


def _fact(fact: object) -> int | str:
    return fact if isinstance(fact, int) else str(fact)


def _line_from_json(value: Mapping[str, Any]) -> Line:
    why = value["why"] and Phrase(value["why"][0], value["why"][1])
    return Line(**{**value, "why": why, "readings": tuple(value["readings"])})
