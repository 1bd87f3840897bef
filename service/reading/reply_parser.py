"""Find the commands in a reply: the first line that is a command, and the commands that directly follow it.

A bare number and letter (`3 B`) may be part of a postal address. Below a name or other text, below a message to the
table, and below the closing words of a mail, such a move is therefore not taken; the service asks about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from service.reading.agreement import agreement
from service.reading.commands import Command, Inquiry, New, Note, Pick, Say, Stop, Yes
from service.reading.footers import is_closing, is_footer
from service.reading.grammar import addresses_alone, command
from service.reading.greetings import is_introduction, is_thanks
from service.reading.guesses import GuessedMove, guess_move
from service.reading.incoming_mail import IncomingMail
from service.reading.picks import is_bare
from service.reading.quoting import WrittenText
from service.reading.suggestions import Suggestion, UnclearLine, fragment, suggest

MOST = 60
"""The most commands taken from one mail, and the most unread lines reported."""

_MOST_TEXT = 8_000


@dataclass(frozen=True, slots=True)
class ReplyCommands:
    """The commands of a reply, in the order in which they were written.

    Attributes:
        commands: the commands above the line in `suggestion`, or all commands if there is no such line.
        unread: lines below that look like commands and were not taken, as they were written.
        suggestion: the near miss at which reading stopped, or None.
        guess: the move that the line in `suggestion` probably means, or None. It needs the player's confirmation.
        agreement: the yes or no that the words of a reply without commands say (`service.reading.agreement`), or None.
    """

    commands: tuple[Command, ...] = ()
    unread: tuple[str, ...] = ()
    suggestion: Suggestion | None = None
    guess: GuessedMove | None = None
    agreement: bool | None = None

    def to_question(self) -> ReplyCommands:
        """Return the reply to a question of yes or no: what its words say counts as the command, if it has none."""
        if self.agreement is None:
            return self
        return ReplyCommands((Yes() if self.agreement else Stop(),))


def parse_reply(mail: IncomingMail) -> ReplyCommands:
    """Return the commands of a mail; an automatic mail has none.

    If the mail has both a text and an HTML part, both are read. Where they ask for different things, only the commands
    that both contain are taken.
    """
    if mail.automatic is not None:
        return ReplyCommands()
    answers = [_read(text.lines) for text in mail.texts]
    if asking := [answer for answer in answers if answer.commands]:
        answer = _unsigned(_agreed(asking), mail.texts)
    else:
        answer = next((answer for answer in answers if answer.suggestion), ReplyCommands())
    answer = _with_guess(answer, mail.texts)
    if answer.commands or answer.guess is not None:
        return answer
    told = {agreement(text.lines) for text in mail.texts if any(map(_is_said, text.lines))}
    return replace(answer, agreement=told.pop() if len(told) == 1 else None)


def _with_guess(answer: ReplyCommands, texts: Sequence[WrittenText]) -> ReplyCommands:
    """Add the probable move to a reply that otherwise asks only for information.

    All parts of the mail must mean the same move. Below a message or a note, only the line at which reading stopped
    counts.
    """
    if any(not isinstance(asked, Inquiry | Say | Note) for asked in answer.commands):
        return answer
    if any(isinstance(asked, Say | Note) for asked in answer.commands):
        below = None if answer.suggestion is None else guess_move([answer.suggestion.line])
        return replace(answer, guess=below if below and below.is_whole else None)
    found = [guess_move(text.lines) for text in texts if any(map(_is_said, text.lines))]
    if not found or found[0] is None or any(other is None or other.meaning != found[0].meaning for other in found):
        return answer
    # A near miss above leaves open what came first, and so what the probable move would follow.
    if (
        answer.suggestion is not None
        and answer.suggestion.line not in found[0].line
        and found[0].line not in answer.suggestion.line
    ):
        return answer
    unread = tuple(line for line in answer.unread if line not in found[0].line)
    return replace(answer, suggestion=Suggestion(found[0].line, ()), guess=found[0], unread=unread)


def _unsigned(answer: ReplyCommands, texts: Sequence[WrittenText]) -> ReplyCommands:
    """Cut the reply off before a move that only one part of the mail puts above the signature mark."""
    signed = {line.strip() for text in texts if any(map(_is_said, text.lines)) for line in text.signature}
    for at, asked in enumerate(answer.commands):
        if isinstance(asked, Pick) and asked.raw.strip() in signed:
            return ReplyCommands(answer.commands[:at], answer.unread, Suggestion(_line(asked), (asked,)))
    return answer


def _is_said(line: str | None) -> bool:
    return line is not None and bool(line.strip())


def _agreed(answers: Sequence[ReplyCommands]) -> ReplyCommands:
    """Return the shortest of the replies, up to the first command in which another one differs."""
    first, *others = sorted(answers, key=lambda answer: len(answer.commands))
    for at, asked in enumerate(first.commands):
        for other in others:
            if not _same(asked, other.commands[at]):
                line = _line(asked)
                return ReplyCommands(first.commands[:at], first.unread, Suggestion(line, (asked, other.commands[at])))
    return first


def _same(one: Command, other: Command) -> bool:
    """Return whether two commands ask for the same thing.

    Two messages or two notes count as equal, because their lines may be wrapped differently.
    """
    if isinstance(one, Say | Note):
        return type(one) is type(other)
    return _without_line(one) == _without_line(other)


def _without_line(asked: Command) -> object:
    return (asked.choice, asked.tile, asked.cell, asked.at) if isinstance(asked, Pick) else asked


def _line(asked: Command) -> str:
    return asked.raw if isinstance(asked, Pick) else type(asked).__name__.lower()


def _read(lines: Sequence[str | None]) -> ReplyCommands:
    reader = _Reader()
    for line in lines:
        reader.take(line)
    return reader.answer()


class _Reader:
    """A reader that collects the commands from one line after another."""

    def __init__(self) -> None:
        self._commands: list[Command] = []
        self._unread: list[str] = []
        self._suggestion: Suggestion | None = None
        self._first: UnclearLine | None = None
        self._above: str | None = None
        self._is_done = False
        self._is_apart = False
        self._text: list[str] | None = None
        self._list = False
        self._is_talk = False  # a name or other text stands above
        self._is_signed = False  # closing words stand above, and no command before them
        self._is_over = False

    def take(self, line: str | None) -> None:
        if line is None or not line.strip():
            self._text, self._list = None, False
            self._is_done = self._is_done or (line is None and bool(self._commands))
            self._above = self._above if line is not None else None
            self._is_apart = True
            return
        if self._is_over or self._goes_on(line) or len(self._unread) == MOST:
            return
        asked = command(line)
        if is_closing(line) and asked is None and not is_thanks(line):
            self._is_over, self._is_signed = bool(self._commands), True
        is_told = self._first is not None and self._first.is_move and not self._commands
        close = suggest(line) if asked is None and not is_told else None
        if self._is_done or len(self._commands) >= MOST:
            is_left = asked is not None and not isinstance(asked, Inquiry)
            if (is_left or (close and close.is_move)) and len(self._unread) < MOST:
                self._unread.append(line.strip())
        elif asked is not None:
            self._add(asked, line)
        else:
            self._other(line, close)
        self._above, self._is_apart = line, False

    def answer(self) -> ReplyCommands:
        if self._commands or self._suggestion:
            return ReplyCommands(tuple(self._commands), tuple(self._unread), self._suggestion)
        return ReplyCommands((), (), self._first.suggestion if self._first else None)

    def _add(self, asked: Command, line: str) -> None:
        if self._is_signed and not isinstance(asked, Pick):
            return
        before = self._first.suggestion if self._first and self._first.is_move else self._fragment_above(asked)
        if before is not None and not self._commands:
            # The near miss above leaves open what came first, and so what this command would follow.
            self._suggestion, self._is_done = before, True
            self._unread.append(line.strip())
            return
        if isinstance(asked, Pick) and self._may_be_talk(asked):
            self._suggestion, self._is_done = Suggestion(line.strip(), (asked,)), True
            return
        self._commands.append(asked)
        self._is_talk = self._is_talk or "?" in line
        self._text = [asked.text] if isinstance(asked, Say | Note) else None
        self._list = isinstance(asked, New)

    def _fragment_above(self, asked: Command) -> Suggestion | None:
        """Return the fragment of a move on the line above, or None.

        Initials above a bare move are a name, not a fragment.
        """
        above = (self._above or "").strip(" .,")
        is_name = len(above) > 1 and above.isalpha() and (above.isupper() or above.istitle())
        is_name = is_name and isinstance(asked, Pick) and is_bare(asked)
        return None if is_name or is_closing(above) else fragment(self._above or "")

    def _may_be_talk(self, asked: Pick) -> bool:
        """Return whether a move may belong to the text above it, such as a postal address or a message to the table."""
        if self._commands and isinstance(self._commands[-1], Say | Note):
            return is_bare(asked)
        is_first = all(isinstance(before, Inquiry) for before in self._commands)
        return is_first and (self._is_signed or (self._is_talk and is_bare(asked)))

    def _other(self, line: str, close: UnclearLine | None) -> None:
        self._is_talk = self._is_talk or not is_introduction(line)
        if self._commands:
            self._is_done = True
            # A sentence in a paragraph of its own is conversation, whatever it contains.
            self._suggestion = close.suggestion if close and (close.is_move or not self._is_apart) else None
            is_beside = all(isinstance(asked, Inquiry | Say | Note) for asked in self._commands)
            if is_beside and (meant := guess_move([line])) is not None and meant.is_whole:
                self._suggestion = Suggestion(line.strip(), ())
        elif close is not None and (self._first is None or (close.is_move and not self._first.is_move)):
            self._first = close

    def _goes_on(self, line: str) -> bool:
        """Append a line that continues the text or the address list above it; return whether the line was used up."""
        last = self._commands[-1] if self._commands else None
        if self._list and isinstance(last, New) and (more := addresses_alone(line)):
            self._commands[-1] = replace(last, addresses=tuple(dict.fromkeys(last.addresses + more)))
            return True
        if self._text is None or not isinstance(last, Say | Note) or command(line) is not None:
            return False
        close = suggest(line)
        if is_footer(line) or is_closing(line) or (close and close.is_move):
            self._text = None
            return False
        if (meant := guess_move([line])) is not None and meant.is_whole:
            self._text, self._suggestion, self._is_done = None, Suggestion(line.strip(), ()), True
            return True
        if sum(map(len, self._text)) < _MOST_TEXT:
            self._text.append(line.strip())
        self._commands[-1] = type(last)("\n".join(self._text))
        return True
