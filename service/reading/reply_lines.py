"""Read a reply line by line: the first line that is a command, and the commands that directly follow it.

A bare number and letter (`3 B`) may be part of a postal address. Below a name or other text, below a message to the
table, and below the closing words of a mail, such a move is therefore not taken; the service asks about it. A line that
takes back or changes what stands above it holds all commands of the mail.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from service.reading.commands import Command, Inquiry, New, Note, Pick, Say, Stop, Undo, Yes
from service.reading.corrections import corrects, is_signature
from service.reading.footers import is_closing, is_footer
from service.reading.grammar import begun, command
from service.reading.greetings import is_introduction, is_thanks
from service.reading.guesses import GuessedMove, guess_move, names_move
from service.reading.lines import SIGNATURE, UNCERTAIN
from service.reading.messages import is_end, is_name, published
from service.reading.new_clock import cut_clock
from service.reading.picks import is_bare
from service.reading.suggestions import Suggestion, UnclearLine, fragment, suggest
from service.reading.tokens import simple, tidy
from service.reading.written_times import DURATION

MOST = 60
"""The most commands taken from one mail, and the most unread lines reported."""

_MOST_TEXT = 8_000
_MOST_UNTOLD = 5
_DURATION = re.compile(DURATION)


class LineReader:
    """A reader that collects the commands from one line after another.

    Attributes:
        unread: lines that look like commands and were not taken.
    """

    def __init__(self) -> None:
        self.unread: list[str] = []
        self._commands: list[Command] = []
        self._suggestion: Suggestion | None = None
        self._first: UnclearLine | None = None
        self._above: str | None = None
        self._is_done = False
        self._is_apart = False
        self._text: list[str] | None = None  # the lines of the message or note that the next line may continue
        self._paragraph: list[str] = []  # the lines of this paragraph that are no commands
        self._untold: list[list[str]] = []
        self._is_talk = False  # a name or other text stands above
        self._is_signed = False  # closing words stand above, and no command before them
        self._is_below_text = False  # a signature begins below a message or note, so the others are told no more
        self._is_uncertain = False  # what follows may be the end of a quoted mail of ours
        self._is_over = False
        self._closing: str | None = None  # the closing words directly above
        self._correction: list[str] = []  # the lines that take back or change what stands above

    def take(self, line: str | None) -> None:
        """Read the next line; None stands where something else was left out."""
        if line is None or not line.strip():
            self._end_paragraph(is_quote=line is None)
            self._is_uncertain = self._is_uncertain or line == UNCERTAIN
            self._is_below_text = self._is_below_text or (line == SIGNATURE and bool(self._commands))
            return
        asked = command(line)
        if self._correction and asked is None and not self._is_apart and self._above is None:
            self._correction.append(line)
            return
        is_signed = self._closing is not None and is_signature(line, self._closing)
        self._closing = line if is_closing(line) and asked is None and not is_thanks(line) else None
        if not self._correction and not is_signed and self._is_taken_back(asked, line):
            self._end_text()
            self._correction, self._is_done, self._is_apart, self._above = [line], True, False, None
            return
        if self._is_over or self._goes_on(asked, line) or len(self.unread) == MOST:
            return
        if is_closing(line) and asked is None and not is_thanks(line):
            self._is_over, self._is_signed = bool(self._commands), True
        is_told = self._first is not None and self._first.is_move and not self._commands
        close = suggest(line, is_below=bool(self._commands)) if asked is None and not is_told else None
        if self._is_done or len(self._commands) >= MOST:
            is_left = asked is not None and not isinstance(asked, Inquiry)
            if (is_left or (close and close.is_move)) and len(self.unread) < MOST:
                self.unread.append(line.strip())
            elif asked is None:
                self._leave_untold(line)
        elif asked is not None:
            self._add(asked, line)
        else:
            self._other(line, close)
        self._above, self._is_apart = line, False
        self._paragraph = [*self._paragraph, line] if asked is None else []

    def finish(self) -> None:
        """Read nothing more."""
        self._end_text()
        if self._correction:
            self._suggestion = _readings(" ".join(map(str.strip, self._correction)), self._commands)

    @property
    def commands(self) -> tuple[Command, ...]:
        """The commands to carry out."""
        return tuple(asked for asked in self._commands if isinstance(asked, Inquiry) or not self._correction)

    @property
    def held(self) -> tuple[Command, ...]:
        """The commands that a line below them seems to take back or to change."""
        return tuple(asked for asked in self._commands if self._correction and not isinstance(asked, Inquiry))

    @property
    def suggestion(self) -> Suggestion | None:
        """The near miss at which reading stopped, or None."""
        if self._commands or self._suggestion:
            return self._suggestion
        return self._first.suggestion if self._first else None

    @property
    def untold(self) -> tuple[str, ...]:
        """The paragraphs below a message or a note that are not part of it, without names and closing words."""
        paragraphs = (lines for lines in self._untold if not all(is_name(line) or is_end(line) for line in lines))
        return tuple(" ".join(map(str.strip, lines)) for lines in paragraphs)[:_MOST_UNTOLD]

    def _end_paragraph(self, *, is_quote: bool) -> None:
        self._end_text()
        self._is_done = self._is_done or (is_quote and bool(self._commands))
        self._above = None if is_quote else self._above
        self._is_apart = True
        self._paragraph = []
        if not is_quote:
            self._untold.append([])

    def _is_taken_back(self, asked: Command | None, line: str) -> bool:
        """Return whether a line takes back or changes a command above it.

        In a message, only a line that names a move can.
        """
        if all(isinstance(above, Inquiry) for above in self._commands):
            return False
        if asked is not None:
            return isinstance(asked, Undo)
        if isinstance(self._commands[-1], New) and self._adds_to_new(line):
            return True
        if self._text is not None:
            return corrects(line) and names_move(tidy(line))
        return corrects(line) or corrects(" ".join([*self._paragraph, line]))

    def _adds_to_new(self, line: str) -> bool:
        """Return whether a line may say more of a table that is to be opened, without being part of the command."""
        low = simple(tidy(line))
        if not self._is_over and cut_clock(low)[1] is not None:
            return True
        is_next = not self._is_apart and not self._paragraph
        return is_next and ("@" in line or _DURATION.search(low) is not None)

    def _add(self, asked: Command, line: str) -> None:
        if self._is_signed and not isinstance(asked, Pick):
            return
        before = self._first.suggestion if self._first and self._first.is_move else self._fragment_above(asked)
        if before is not None and not self._commands:
            # The near miss above leaves open what came first, and so what this command would follow.
            self._suggestion, self._is_done = before, True
            self.unread.append(line.strip())
            return
        is_in_doubt = self._is_uncertain and not isinstance(asked, Inquiry | Yes | Stop)
        if is_in_doubt or (isinstance(asked, Pick) and self._may_be_talk(asked)):
            self._suggestion, self._is_done = Suggestion(line.strip(), (asked,)), True
            return
        self._commands.append(asked)
        self._is_talk = self._is_talk or "?" in line
        self._untold, self._is_below_text = [], False
        self._text = [asked.text] if isinstance(asked, Say | Note) else None

    def _fragment_above(self, asked: Command) -> Suggestion | None:
        """Return the fragment of a move on the line above, or None.

        Initials above a bare move are a name, not a fragment.
        """
        above = (self._above or "").strip(" .,")
        is_initials = len(above) > 1 and above.isalpha() and (above.isupper() or above.istitle())
        is_initials = is_initials and isinstance(asked, Pick) and is_bare(asked)
        return None if is_initials or is_closing(above) else fragment(self._above or "")

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
            # A sentence in a paragraph of its own is conversation, whatever it contains. The beginning of a command,
            # such as `say:` above a text, is not.
            is_attempt = close is not None and (close.is_move or not self._is_apart or begun(line))
            self._suggestion = close.suggestion if close and is_attempt else None
            is_beside = all(isinstance(asked, Inquiry | Say | Note) for asked in self._commands)
            if is_beside and (meant := guess_move([line])) is not None and meant.is_whole:
                self._suggestion = Suggestion(line.strip(), ())
            self._leave_untold(line)
        elif close is not None and (self._first is None or (close.is_move and not self._first.is_move)):
            self._first = close

    def _leave_untold(self, line: str) -> None:
        """Note a line below a message that is not part of it, so that its writer is told."""
        last = self._commands[-1] if self._commands else None
        is_text = isinstance(last, Say | Note) and not self._is_below_text
        if is_text and self._suggestion is None and self._untold and not self.unread:
            self._untold[-1].append(line)

    def _goes_on(self, asked: Command | None, line: str) -> bool:
        """Append a line that continues the text above it; return whether the line was used up."""
        if self._text is None:
            return False
        close = suggest(line, is_below=True) if asked is None else None
        if asked is not None or (close and close.is_move):
            self._end_text()
            return False
        if is_end(line):
            self._text.append(line)
            self._end_text()
            self._is_done, self._is_over = True, is_closing(line) or is_footer(line)
            return True
        if (meant := guess_move([line])) is not None and meant.is_whole:
            self._end_text()
            self._suggestion, self._is_done = Suggestion(line.strip(), ()), True
            return True
        if sum(map(len, self._text)) < _MOST_TEXT:
            self._text.append(line.strip())
        return True

    def _end_text(self) -> None:
        last = self._commands[-1] if self._commands else None
        if self._text is not None and isinstance(last, Say | Note):
            self._commands[-1] = type(last)("\n".join(self._text[: published(self._text)]))
        self._text = None


def _readings(line: str, above: Sequence[Command]) -> Suggestion:
    """Return a line that corrects the commands above it, with the moves that were written, if it names one itself."""
    close = None if command(line) is not None else suggest(line)
    named = close.suggestion.meant if close else ()
    if not named and (meant := guess_move([line])) is not None and (move := _as_pick(meant)) is not None:
        named = (move,)
    moves = (asked for asked in above if isinstance(asked, Pick))
    return Suggestion(line, (*moves, *named) if named else ())


def _as_pick(meant: GuessedMove) -> Pick | None:
    """Return a probable move as a command; None if it names the tile by its color only, or no cell."""
    is_whole = meant.has_cell and (meant.choice is not None or meant.tile is not None)
    return Pick(meant.choice, meant.tile, meant.cell, meant.at, meant.line) if is_whole else None
