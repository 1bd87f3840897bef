"""Parse a line of a reply as a command.

    2 F  2f  F2  choice 2, cell F  the second at F      a choice by its number, and a cell by its letters
    17 F  tile 2 at F  17@1,-2  tile 17 at (1, -2)      a tile by its own number, or a cell by its coordinates
    refill  resign  yes  help  history  stop  mute  unmute  solo
    français  auf deutsch  in English, please  language: es
    say TEXT  note TEXT  block NAME  unblock NAME  join CODE  new 3 players, 3 days a move, friend@example.org
    away until 5 December  back  quiet 22:00 to 07:00  more time 2 days  keep  reminders 24 hours

The whole line must fit. Each command can be written in the words of four languages (`service.reading.command_words`),
in upper or lower case, with or without accents, and with polite words, a period, a bullet or quotation marks around it.

A question mark turns a line into a question, which is no command unless it asks for information: status, games, rules,
settings, and the questions in `service.reading.questions`. There is no pass and no undo; both are recognized so that
the player can be told.
"""

from __future__ import annotations

import re

from service.reading import command_words, language_detection, sentence_words
from service.reading.clock_lines import of_time
from service.reading.command_words import phrases
from service.reading.commands import (
    AccountSettings,
    Block,
    Command,
    Games,
    Help,
    History,
    Inquiry,
    Mute,
    New,
    Note,
    Pass,
    Refill,
    Rematch,
    Resign,
    Rules,
    Say,
    Solo,
    Speak,
    Status,
    Stop,
    Unblock,
    Unclear,
    Undo,
    Unmute,
    Yes,
)
from service.reading.farewells import adds_nothing
from service.reading.joining import join, lacks_code
from service.reading.new_bots import cut_bots
from service.reading.new_clock import cut_clock, is_unclear
from service.reading.new_ladder import cut_ladder, has_no_nudge
from service.reading.picks import pick
from service.reading.questions import asks_us, question, wished
from service.reading.shown_words import Verb
from service.reading.tokens import simple, tidy, undecorated, without_manners
from service.reading.unsubscribing import wants_no_mail

LONGEST = 120
"""The length above which a line is no command, unless it carries a text or addresses."""

_MOST_TEXT = 4_000
_MOST_ADDRESSES = 20

_KINDS: dict[Verb, Command] = {
    "refill": Refill(),
    "resign": Resign(),
    "yes": Yes(),
    "help": Help(),
    "history": History(),
    "stop": Stop(),
    "mute": Mute(),
    "unmute": Unmute(),
    "solo": Solo(),
    "rematch": Rematch(),
    "status": Status(),
    "games": Games(),
    "rules": Rules(),
    "settings": AccountSettings(),
    "pass": Pass(),
    "undo": Undo(),
}
WHOLE: dict[str, Command] = {
    phrase: command for verb, command in _KINDS.items() for phrase in phrases(command_words.WHOLE[verb])
}
"""The command for each phrase that is a whole line."""

_TEXT = {phrase: verb for verb, listed in command_words.BEFORE_TEXT.items() for phrase in phrases(listed)}
_MOST_AHEAD = max(phrase.count(" ") + 1 for phrase in _TEXT)
_NAME = {phrase: verb for verb, listed in command_words.BEFORE_NAME.items() for phrase in phrases(listed)}
_WISH = (
    r"(?:(?:i(?:'d| would) like|i want|let's|je voudrais|j'aimerais|"
    r"je veux|ich (?:mochte|moechte|will)|quiero|quisiera|me gustaria) )?"
)
_WISH_TO_BEGIN = (
    rf"{_WISH}(?:(?:to )?(?:start|begin|open|play|commencer|ouvrir|jouer|empezar|abrir|jugar) )?"
    r"(?:(?:an?|une?|una|eine?n?) )?"
)
_NEW = re.compile(
    rf"{_WISH_TO_BEGIN}(?:{'|'.join(sorted(phrases(command_words.BEFORE_PLAYERS), key=len, reverse=True))})(?![\w@])"
)
_A_GAME = r"(?:(?:an?|une?|una|eine?) )?(?:game|partie|partida|spiel)"
_PLAY = re.compile(
    rf"{_WISH}(?:(?=.{{1,80}} spielen$)|(?:(?:to )?(?:play|jouer|jugar|spielen?)(?: {_A_GAME})?|{_A_GAME})(?![\w@]))"
)
"""What begins a game only with a bot behind it, since it is said of much else: `play against a bot`."""

_ADDRESS = re.compile(r"[\w.!#$%&*+/=?^{|}~'-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}")
_NAMED = re.compile(rf"(?<=[,;])[^,;<>@\d]{{0,80}}<\s?({_ADDRESS.pattern})\s?>")
_LINKED = re.compile(r"[<(\[]\s?mailto:[^>)\]\s]{1,320}\s?[>)\]]", re.IGNORECASE)
_YES = re.compile(r"(?:yes|yep|yeah|ja|oui|s[ií])[ ,.!:;-]+(?=\S)", re.IGNORECASE)
"""Agreement in front of a command, which is then the one that counts: `Yes, 2 F`."""

_WORD = re.compile(r"[^\s,.!:;()-]+(?:-[^\s,.!:;()-]+)*")

_SENTENCE_END = re.compile(r"[.!]+\s+")
_MOST_SENTENCES = 6
_END_OF_SENTENCE = re.compile(r"[^\W\d_A-Z]+\.")
"""A small word with a period, which is what may be left on a line of its own when a sentence is wrapped: `back.`"""

_LAST_AHEAD = r"[^\s:,]+)(?:\s*[:,-](?=\s)|:(?=[^\W_]|[\"'“”„«»‹›¡¿])|\s+(?=\S))"
_AHEAD = [re.compile(rf"((?:[^\s:,]+\s+){{{before}}}{_LAST_AHEAD}") for before in range(_MOST_AHEAD - 1, -1, -1)]
"""What may introduce a text: one or two words, with a colon, a comma or a dash. A smiley is none of these."""

_LOOSE = re.compile(r"[\s,;:.+&()<>\[\]\"'/-]+")


def command(line: str) -> Command | None:
    """Return the command that a line gives, or None if the line does not fit."""
    if len(line) > _MOST_TEXT:
        return None
    text = tidy(line)
    if not text:
        return None
    if (asked := question(text) or _inquiry(text)) is not None:
        return asked
    if not asks_us(text) and (found := _with_text(line)) is not None:
        return found
    if "@" in text and (asked := new(text)) is not None:
        return asked
    if len(text) > LONGEST:
        return None
    bare = without_manners(text)
    rest = _YES.sub("", bare, count=1)
    if rest != bare and (agreeing := _agreeing(rest)) is not None:
        return Yes(not sentence_words.PLAYING.isdisjoint(_WORD.findall(simple(agreeing))))
    timed = None if _END_OF_SENTENCE.fullmatch(text) else of_time(rest)
    whole = _whole(bare) or _stop(bare) or timed or new(bare) or _speak(bare) or join(bare) or _apart(bare)
    return whole or pick(rest, line.strip())


def begun(line: str) -> bool:
    """Return whether a line begins a command that it does not complete.

    That is a word that takes a text or a code, without them; or the words that start a game, with addresses.
    """
    low = simple(tidy(line[:_MOST_TEXT]))
    if low.rstrip(" :.,-") in (_TEXT.keys() | _NAME.keys()) or lacks_code(low):
        return True
    return _NEW.match(low) is not None and _ADDRESS.search(low) is not None


def begins_table(line: str) -> bool:
    """Return whether a line begins with the words that open a table, whatever follows them."""
    return _NEW.match(simple(tidy(line[:LONGEST]))) is not None


def _agreeing(rest: str) -> str | None:
    """Return the words behind a yes that agree, if the others add nothing: `I'm sure` of `I'm sure. Have fun!`"""
    ends = [found.span() for found in _SENTENCE_END.finditer(rest)][:_MOST_SENTENCES]
    return next(
        (
            rest[:end]
            for end, after in [(0, 0), *ends, (len(rest), len(rest))]
            if set(_WORD.findall(simple(rest[:end]))) <= sentence_words.AGREEING and adds_nothing(rest[after:])
        ),
        None,
    )


def _inquiry(text: str) -> Command | None:
    """Return the information that a polite request asks for: `Can you show me the board?`, `I'd like to pass`."""
    wish = wished(text)
    asked = _whole(without_manners(wish)) if wish else None
    return asked if isinstance(asked, Inquiry | Pass | Undo) else None


def _whole(bare: str) -> Command | None:
    low = simple(bare).strip(" .!¿")
    is_question = low.endswith("?")
    low = low.rstrip(" ?")
    kept = [word for word in re.split(r"[\s,;:]+", low.replace("l'", "")) if word not in command_words.SMALL]
    # The headings of our own mails are in capitals, with an article: `THE TABLE`.
    asked = WHOLE.get(low) or (None if bare.isupper() else WHOLE.get(" ".join(kept)))
    return asked if not is_question or isinstance(asked, Inquiry | Pass | Undo) else None


def _stop(bare: str) -> Stop | None:
    return Stop() if wants_no_mail(simple(bare)) else None


def _speak(bare: str) -> Speak | None:
    language = language_detection.requested_language(bare)
    return None if language is None else Speak(language)


def _with_text(line: str) -> Say | Note | None:
    """Return the message or the note that a line begins, with its text as it was written."""
    written = undecorated(line)
    if simple(" ".join(written.split())).rstrip(" :.,-") in _TEXT:
        return None
    for found in (ahead.match(written) for ahead in _AHEAD):
        verb = _TEXT.get(simple(tidy(found[1])).rstrip(" :,-")) if found else None
        if found and verb and (text := " ".join(written[found.end() :].split())):
            return Say(text) if verb == "say" else Note(text)
    return None


def _apart(bare: str) -> Block | Unblock | None:
    """Return the command that blocks a player or ends that; a question or an address names none."""
    parts = bare.split(" ")
    for count in (3, 2, 1):
        verb = _NAME.get(simple(" ".join(parts[:count])).rstrip(" :,"))
        name = " ".join(parts[count:]).strip(" :,.<>\"'“”„«»")
        if verb and name and "?" not in name and "@" not in name:
            return Block(name) if verb == "block" else Unblock(name)
    return None


def new(text: str) -> New | Unclear | None:
    """Return the command that starts a game, or None if the line contains anything else."""
    if (asked := _new(text)) is not None or not _NEW.match(low := simple(text)):
        return asked
    if has_no_nudge(low):
        return Unclear(text, "nudge")
    return Unclear(text, "clock") if is_unclear(low) else None


def _new(text: str) -> New | None:
    low = simple(text)
    named = _NEW.match(low)
    phrase = named or _PLAY.match(low)
    if phrase is None or len(low) != len(text):
        return None
    rest = _NAMED.sub(r" \1", _LINKED.sub(" ", text[phrase.end() :]))
    addresses = _unlike(_ADDRESS.findall(rest))
    seats, others = None, []
    told, ladder = cut_ladder(simple(_ADDRESS.sub(" ", rest)))
    told, bots = cut_bots(told)
    if named is None and not bots:
        return None
    told, clock = cut_clock(told)
    if ladder is not None and (clock is None or clock.chosen() is None):  # without a clock no time is ever up
        return None
    for word in _LOOSE.split(told):
        number = int(word) if word.isdecimal() and len(word) < 3 else command_words.COUNTS.get(word)
        if number is not None:
            others.append(number)
            seats = number
        elif word and word not in command_words.PLAYERS:
            return None
    return New(seats, addresses, clock, bots, ladder) if len(others) < 2 and len(addresses) <= _MOST_ADDRESSES else None


def _unlike(found: list[str]) -> tuple[str, ...]:
    """Return each address once, in order: mail programs write a link beside its text."""
    return tuple({address.casefold(): address.rstrip(".-") for address in reversed(found)}.values())[::-1]
