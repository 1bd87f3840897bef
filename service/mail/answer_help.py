"""The explanation of what can be written in an answer, in the reader's language, though all languages are read."""

from __future__ import annotations

from datetime import time, timedelta

from service.language.languages import Language
from service.mail.command_phrases import as_line
from service.reading.commands import Away, MoreTime, Quiet, QuietWindow, Reminders
from service.reading.language_detection import SHOWN as SPOKEN
from service.reading.shown_words import SHOWN
from service.reading.written_days import WrittenDay


def explained(language: Language, kind: str | None) -> tuple[tuple[str, str], ...]:
    """Return the commands that a reply may hold, each with its effect.

    Args:
        language: the reader's language.
        kind: the kind of game that the mail is about, ``match`` or ``solo``; None: it is about none.
    """
    moves = () if kind is None else _of_moves(language)
    company = _of_company(language) if kind == "match" else ()
    return (*moves, *company, *_of_all(language))


def _other(language: Language) -> str:
    """Return the entry of `SPOKEN` for another language than this one."""
    return SPOKEN["de" if language.code == "en" else "en"]


def _words(language: Language) -> str:
    return language.listed((language.quoted(each) for each in SPOKEN.values() if each != _other(language)), "and")


def _of_moves(language: Language) -> tuple[tuple[str, str], ...]:
    say, word = language.say, SHOWN[language.code]
    return (
        (
            "2 F",
            say(
                "Take the second of your choices and place it at cell F. Several lines are played one after the other, "
                "while it stays your turn."
            ),
        ),
        (
            say("tile %(number)s A", number=2),
            say("Take the tile whose number is 2: a bare 1, 2 or 3 is always a choice."),
        ),
        ("17@1,-2", say("Take tile 17 and place it in column 1 and row -2.")),
        (word["refill"], say("Refill the selection track, where that is allowed.")),
        (f"{word['note']} …", say("Note something for yourself alone.")),
        (word["status"], say("See the table as it is; a question such as whose turn it is does too.")),
        (word["history"], say("Read all that has happened so far.")),
        (word["resign"], say("Leave the game; you are asked once whether you mean it.")),
    )


def _of_company(language: Language) -> tuple[tuple[str, str], ...]:
    say, word = language.say, SHOWN[language.code]
    back = language.quoted(word["unmute"])
    return (
        (
            f"{word['say']} …",
            say(
                "Tell the others at the table something, below your moves, up to an empty line; "
                "they read it in their next mail."
            ),
        ),
        (word["rematch"], say("Once the game is over: play another one with the same players.")),
        (
            as_line(MoreTime(timedelta(days=2)), language),
            say("Give the player to move more time, in a game with a clock; it counts once all the others say so."),
        ),
        (word["keep"], say("Keep a game from being ended because nobody has moved for long.")),
        (word["mute"], say("Hear no more of what is said at this table; %(word)s takes it back.", word=back)),
        (word["stop"], say("Get no more mails of this game.")),
    )


def _of_all(language: Language) -> tuple[tuple[str, str], ...]:
    say, word = language.say, SHOWN[language.code]
    return (
        (word["solo"], say("Play alone, as slowly as you like.")),
        (
            f"{word['new']} 3, friend@example.org",
            say("Open a table for three, and invite to it whom you name; each of them is mailed."),
        ),
        (f"{word['join']} …", say("Sit down at a table, by its code or that of an invitation.")),
        (
            as_line(Away(None, WrittenDay(5, 12)), language),
            say("Say that you are away, that day included: your clocks stand still, from 12 hours after your mail on."),
        ),
        (word["back"], say("End your absence, and take your seats back where a bot plays for you.")),
        (
            as_line(Quiet((QuietWindow(frozenset(range(7)), time(22), time(7)),)), language),
            say("Set hours at which your clocks stand still every day; with days of the week, on those alone."),
        ),
        (
            as_line(Reminders((timedelta(hours=24), timedelta(hours=3)), "at_once"), language),
            say("Be reminded when so much of your time is left."),
        ),
        (
            f"{word['block']} …",
            say(
                "Keep a player away, by name: no new tables together, no invitations, no messages. "
                "%(word)s takes it back.",
                word=language.quoted(f"{word['unblock']} …"),
            ),
        ),
        (word["games"], say("See all your games, and whose turn it is.")),
        (word["rules"], say("Get the rules.")),
        (word["settings"], say("Get the link to your settings, and to the deletion of your account.")),
        (
            _other(language),
            say("Get your mails in that language. The others have their words too: %(words)s.", words=_words(language)),
        ),
        (word["help"], say("Read this again.")),
    )
