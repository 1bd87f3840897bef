"""Find the commands in a reply, as all parts of the mail have them, or else the move or the answer that it may mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from service.reading.agreement import agreement, behind_no
from service.reading.commands import Command, Inquiry, Note, Pick, Refill, Say, Stop, Yes
from service.reading.guesses import GuessedMove, guess_move, refill_first
from service.reading.incoming_mail import IncomingMail
from service.reading.quoting import WrittenText
from service.reading.reply_lines import LineReader
from service.reading.struck_out import strikes
from service.reading.suggestions import Suggestion
from service.reading.wrapped_lines import unwrapped


@dataclass(frozen=True, slots=True)
class ReplyCommands:
    """The commands of a reply, in the order in which they were written.

    Attributes:
        commands: the commands above the line in `suggestion`, or all commands if there is no such line.
        unread: lines below that look like commands and were not taken, as they were written.
        suggestion: the near miss at which reading stopped, or None.
        guess: the move that the line in `suggestion` probably means, or None. It needs the player's confirmation.
        agreement: the yes or no that the words of a reply say (`service.reading.agreement`), or None, as for a reply
            with commands that ask for more than information.
        held: commands that are not carried out, because the line in `suggestion` seems to take them back or to change
            them (`service.reading.corrections`), or because one of them is struck out (`service.reading.struck_out`).
        untold: paragraphs below a message or a note that are not part of it.
        says_no: whether it declines or begins with a no, and has no commands that ask for more than information.
    """

    commands: tuple[Command, ...] = ()
    unread: tuple[str, ...] = ()
    suggestion: Suggestion | None = None
    guess: GuessedMove | None = None
    agreement: bool | None = None
    held: tuple[Command, ...] = ()
    untold: tuple[str, ...] = ()
    says_no: bool = False

    def to_question(self) -> ReplyCommands:
        """Return the reply to a question of yes or no: what its words say counts as the command."""
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
    if (held := next((answer for answer in answers if answer.held), None)) is not None:
        return held
    if (held := _struck_out(answers, mail.texts)) is not None:
        return held
    if asking := [answer for answer in answers if answer.commands]:
        answer = _unsigned(_agreed(asking), mail.texts)
    else:
        answer = next((answer for answer in answers if answer.suggestion), ReplyCommands())
    answer = _with_guess(answer, mail.texts)
    if answer.guess is not None or any(not isinstance(asked, Inquiry) for asked in answer.commands):
        return answer
    said = [text.lines for text in mail.texts if any(map(_is_said, text.lines))]
    told = set(map(agreement, said))
    agreed = told.pop() if len(told) == 1 else None
    rest = [behind_no(lines) for lines in said] if agreed is not True else []
    answer = replace(answer, agreement=agreed, says_no=agreed is False or (bool(rest) and None not in rest))
    return _with_move_behind_no(answer, [lines for lines in rest if lines is not None])


def _with_move_behind_no(answer: ReplyCommands, rest: Sequence[Sequence[str | None]]) -> ReplyCommands:
    """Add the probable move behind the no with which a reply begins: `No, I play 1 at A`."""
    found = [guess_move(lines) for lines in rest]
    if not answer.says_no or answer.commands or not found or (first := found[0]) is None or not first.is_whole:
        return answer
    if any(other is None or other.meaning != first.meaning for other in found):
        return answer
    return replace(answer, suggestion=Suggestion(first.line, ()), guess=first)


def _struck_out(answers: Sequence[ReplyCommands], texts: Sequence[WrittenText]) -> ReplyCommands | None:
    """Return the reply that holds all commands if one of the texts strikes a command out, or None."""
    is_denied, denied = strikes(each for text in texts for each in text.struck)
    read = max((answer.commands for answer in answers), key=len, default=())
    asked = (*denied, *(other for other in read if not any(_same(each, other) for each in denied)))
    held = tuple(each for each in asked if not isinstance(each, Inquiry))
    if not is_denied or not held:
        return None
    return ReplyCommands(tuple(each for each in asked if isinstance(each, Inquiry)), held=held)


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
    said = [text.lines for text in texts if any(map(_is_said, text.lines))]
    refills = [refill_first(lines) for lines in said]
    if not answer.commands and refills and (first := refills[0]) is not None and all(refills):
        is_first = answer.suggestion is None or answer.suggestion.line in first
        return replace(answer, suggestion=Suggestion(first, (Refill(),)), unread=()) if is_first else answer
    found = [guess_move(lines) for lines in said]
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
    texts = [_shortest(at, answers) for at in range(len(first.commands))]
    for at, asked in enumerate(first.commands):
        for other in others:
            if not _same(asked, other.commands[at]):
                line = _line(asked)
                return ReplyCommands(first.commands[:at], first.unread, Suggestion(line, (asked, other.commands[at])))
    return replace(first, commands=tuple(texts))


def _shortest(at: int, answers: Sequence[ReplyCommands]) -> Command:
    """Return the command at a place, of messages and notes the shortest, as only one part may mark its signature."""
    same = [answer.commands[at] for answer in answers]
    return min(same, key=lambda asked: len(" ".join(asked.text.split())) if isinstance(asked, Say | Note) else 0)


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
    reader = LineReader()
    for line in unwrapped(lines):
        reader.take(line)
    reader.finish()
    return ReplyCommands(
        reader.commands, tuple(reader.unread), reader.suggestion, held=reader.held, untold=reader.untold
    )
