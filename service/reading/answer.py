"""What a letter asks for: the first line that fits and those that directly follow it.

A number and a letter alone below a name, talk or what is said to the table may be an address, so such a move is asked back,
and so is any below the words with which letters end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from service.reading.almost import Almost, Near, almost, scrap
from service.reading.commands import Command, Inquiry, New, Note, Pick, Say
from service.reading.footers import is_closing, is_footer
from service.reading.grammar import addresses_alone, command
from service.reading.lead_ins import is_thanks, leads_in
from service.reading.letter import Letter
from service.reading.likely import Likely, likely
from service.reading.picks import is_bare
from service.reading.quoting import Reading

MOST = 60
"""So many commands are taken from one letter, and so many lines reported."""

_MOST_TEXT = 8_000


@dataclass(frozen=True, slots=True)
class Answer:
    """What is asked for, in its order.

    `near` is the line at which reading ended, if it almost fits; then `commands` are those before it. `unread` are the
    lines after that which look like commands and were not taken, as they were written. `likely` is what the line in
    `near` likely means, if it is a move; nothing moves without it being agreed to.
    """

    commands: tuple[Command, ...] = ()
    unread: tuple[str, ...] = ()
    near: Near | None = None
    likely: Likely | None = None


def understand(letter: Letter) -> Answer:
    """What the letter asks for; nothing of an automatic one.

    Where the letter says the same twice, as text and as HTML, each is read. If they ask for different things, none is
    taken that only one of them has.
    """
    if letter.automatic is not None:
        return Answer()
    answers = [_read(text.lines) for text in letter.texts]
    if asking := [answer for answer in answers if answer.commands]:
        answer = _unsigned(_agreed(asking), letter.texts)
    else:
        answer = next((answer for answer in answers if answer.near), Answer())
    return _likely(answer, letter.texts)


def _likely(answer: Answer, texts: Sequence[Reading]) -> Answer:
    """The answer with what it likely means, where it asks for nothing but to be told something, and all texts mean the same.
    Below what is said only the line counts at which reading ended."""
    if any(not isinstance(asked, Inquiry | Say | Note) for asked in answer.commands):
        return answer
    if any(isinstance(asked, Say | Note) for asked in answer.commands):
        below = None if answer.near is None else likely([answer.near.line])
        return replace(answer, likely=below if below and below.is_whole else None)
    found = [likely(text.lines) for text in texts if any(map(_is_said, text.lines))]
    if not found or found[0] is None or any(other is None or other.meaning != found[0].meaning for other in found):
        return answer
    # What was tried first is not known where a line above is none, so neither is what would come after it.
    if answer.near is not None and answer.near.line not in found[0].line and found[0].line not in answer.near.line:
        return answer
    unread = tuple(line for line in answer.unread if line not in found[0].line)
    return replace(answer, near=Near(found[0].line, ()), likely=found[0], unread=unread)


def _unsigned(answer: Answer, texts: Sequence[Reading]) -> Answer:
    """The answer up to a move that stands below what was written and the mark of a signature, where the mail is said twice."""
    signed = {line.strip() for text in texts if any(map(_is_said, text.lines)) for line in text.signature}
    for at, asked in enumerate(answer.commands):
        if isinstance(asked, Pick) and asked.raw.strip() in signed:
            return Answer(answer.commands[:at], answer.unread, Near(_line(asked), (asked,)))
    return answer


def _is_said(line: str | None) -> bool:
    return line is not None and bool(line.strip())


def _agreed(answers: Sequence[Answer]) -> Answer:
    """The shortest answer, if the others begin as it does."""
    first, *others = sorted(answers, key=lambda answer: len(answer.commands))
    for at, asked in enumerate(first.commands):
        for other in others:
            if not _same(asked, other.commands[at]):
                line = _line(asked)
                return Answer(first.commands[:at], first.unread, Near(line, (asked, other.commands[at])))
    return first


def _same(one: Command, other: Command) -> bool:
    """Whether two commands ask for the same; a text may be broken in other places."""
    if isinstance(one, Say | Note):
        return type(one) is type(other)
    return _without_line(one) == _without_line(other)


def _without_line(asked: Command) -> object:
    return (asked.choice, asked.tile, asked.cell, asked.at) if isinstance(asked, Pick) else asked


def _line(asked: Command) -> str:
    return asked.raw if isinstance(asked, Pick) else type(asked).__name__.lower()


def _read(lines: Sequence[str | None]) -> Answer:
    reader = _Reader()
    for line in lines:
        reader.take(line)
    return reader.answer()


class _Reader:
    """Takes one line after the other."""

    def __init__(self) -> None:
        self._commands: list[Command] = []
        self._unread: list[str] = []
        self._near: Near | None = None
        self._first: Almost | None = None
        self._above: str | None = None
        self._is_done = False
        self._is_apart = False
        self._text: list[str] | None = None
        self._list = False
        self._is_talk = False  # a name or talk stands above
        self._is_signed = False  # how letters end stands above, and no command before it
        self._is_over = False

    def take(self, line: str | None) -> None:
        if line is None or not line.strip():
            self._text, self._list = None, False
            self._is_done = self._is_done or line is None and bool(self._commands)
            self._above = self._above if line is not None else None
            self._is_apart = True
            return
        if self._is_over or self._goes_on(line) or len(self._unread) == MOST:
            return
        asked = command(line)
        if is_closing(line) and asked is None and not is_thanks(line):
            self._is_over, self._is_signed = bool(self._commands), True
        is_told = self._first is not None and self._first.is_move and not self._commands
        close = almost(line) if asked is None and not is_told else None
        if self._is_done or len(self._commands) >= MOST:
            is_left = asked is not None and not isinstance(asked, Inquiry)
            if (is_left or close and close.is_move) and len(self._unread) < MOST:
                self._unread.append(line.strip())
        elif asked is not None:
            self._add(asked, line)
        else:
            self._other(line, close)
        self._above, self._is_apart = line, False

    def answer(self) -> Answer:
        if self._commands or self._near:
            return Answer(tuple(self._commands), tuple(self._unread), self._near)
        return Answer((), (), self._first.near if self._first else None)

    def _add(self, asked: Command, line: str) -> None:
        if self._is_signed and not isinstance(asked, Pick):
            return
        before = self._first.near if self._first and self._first.is_move else self._scrap(asked)
        if before is not None and not self._commands:
            # What was tried first is not known, so neither is what this would come after.
            self._near, self._is_done = before, True
            self._unread.append(line.strip())
            return
        if isinstance(asked, Pick) and self._may_be_talk(asked):
            self._near, self._is_done = Near(line.strip(), (asked,)), True
            return
        self._commands.append(asked)
        self._is_talk = self._is_talk or "?" in line
        self._text = [asked.text] if isinstance(asked, Say | Note) else None
        self._list = isinstance(asked, New)

    def _scrap(self, asked: Command) -> Near | None:
        """What is left of a move right above; initials above a bare one are none, but a name."""
        above = (self._above or "").strip(" .,")
        is_name = len(above) > 1 and above.isalpha() and (above.isupper() or above.istitle())
        is_name = is_name and isinstance(asked, Pick) and is_bare(asked)
        return None if is_name or is_closing(above) else scrap(self._above or "")

    def _may_be_talk(self, asked: Pick) -> bool:
        """Whether a move may be part of what stands above it: of a name with an address, of a text that is said."""
        if self._commands and isinstance(self._commands[-1], Say | Note):
            return is_bare(asked)
        is_first = all(isinstance(before, Inquiry) for before in self._commands)
        return is_first and (self._is_signed or self._is_talk and is_bare(asked))

    def _other(self, line: str, close: Almost | None) -> None:
        self._is_talk = self._is_talk or not leads_in(line)
        if self._commands:
            self._is_done = True
            # A sentence in a paragraph of its own is talk, whatever it has in it.
            self._near = close.near if close and (close.is_move or not self._is_apart) else None
            is_beside = all(isinstance(asked, Inquiry | Say | Note) for asked in self._commands)
            if is_beside and (meant := likely([line])) is not None and meant.is_whole:
                self._near = Near(line.strip(), ())
        elif close is not None and (self._first is None or close.is_move and not self._first.is_move):
            self._first = close

    def _goes_on(self, line: str) -> bool:
        """Take a line that goes on with the text, or with the list of addresses, of the line before."""
        last = self._commands[-1] if self._commands else None
        if self._list and isinstance(last, New) and (more := addresses_alone(line)):
            self._commands[-1] = New(last.seats, tuple(dict.fromkeys(last.addresses + more)))
            return True
        if self._text is None or not isinstance(last, Say | Note) or command(line) is not None:
            return False
        close = almost(line)
        if is_footer(line) or is_closing(line) or (close and close.is_move):
            self._text = None
            return False
        if (meant := likely([line])) is not None and meant.is_whole:
            self._text, self._near, self._is_done = None, Near(line.strip(), ()), True
            return True
        if sum(map(len, self._text)) < _MOST_TEXT:
            self._text.append(line.strip())
        self._commands[-1] = type(last)("\n".join(self._text))
        return True
