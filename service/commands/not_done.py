"""List the parts of a mail that were not carried out: taken back in it, unclear, or not read."""

from __future__ import annotations

from dataclasses import replace

from engine.phrases import Phrase
from service.commands import reply_times
from service.commands.command_text import as_text
from service.reading.commands import Unclear
from service.reading.reply_parser import ReplyCommands
from service.reading.suggestions import Suggestion
from service.store.mail_outcome import LEFT_OUT, UNCLEAR, Line, short

_HELD = (
    "held",
    Phrase(
        "Not done: your mail takes back, changes or strikes out part of what it asks. Write once more what you mean."
    ),
)
_UNTOLD = (
    "untold",
    Phrase(
        "This was told to nobody: a message or a note ends at an empty line. "
        "Write it again with “say …” in front if the others are to read it."
    ),
)


def not_done(asked: ReplyCommands) -> list[Line]:
    """Return a result for each part of a mail that was not carried out."""
    lines = [Line(short(as_text(command)), LEFT_OUT, code=_HELD[0], why=_HELD[1]) for command in asked.held]
    if asked.suggestion is not None:
        lines.append(_suggested(asked.suggestion))
    lines += [Line(short(line), LEFT_OUT) for line in asked.unread]
    return lines + [Line(short(text), LEFT_OUT, code=_UNTOLD[0], why=_UNTOLD[1]) for text in asked.untold]


def held_unquoted(asked: ReplyCommands) -> tuple[Line, ...]:
    """Return a result without words of the mail, for mails that anybody may have written; none if nothing was held."""
    return (Line("", LEFT_OUT, code=_HELD[0], why=_HELD[1]),) if asked.held else ()


def _suggested(suggestion: Suggestion) -> Line:
    """Return the result of a line that is almost a command; a word that would be asked back again gets examples."""
    vague = next((each for each in suggestion.meant if isinstance(each, Unclear)), None)
    if vague is not None:
        return reply_times.unclear(replace(vague, raw=suggestion.line))
    meant = tuple(dict.fromkeys(map(as_text, suggestion.meant)))
    return Line(short(suggestion.line), UNCLEAR, readings=meant)
