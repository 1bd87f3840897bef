"""Write commands as people would, in each language: `away until 5 December`, `new 3, 3 days a move`, `tile 2 F`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta

from babel import dates

from service.language.durations import duration
from service.language.languages import Language
from service.reading.commands import Away, Back, Keep, MoreTime, New, Pick, Quiet, QuietWindow, Reminders
from service.reading.grammar import command
from service.reading.shown_words import SHOWN
from service.reading.written_days import WrittenDay
from service.reading.written_terms import WrittenClock, WrittenLadder

_LEAP_YEAR = 2028
_WEEK = 7
_CUT = "…"

_Phrased = Away | Back | Quiet | MoreTime | Keep | Reminders | New
"""The commands whose text has more words than the one that they begin with."""


def as_line(asked: _Phrased, language: Language) -> str:
    """Return a line that gives the command, in this language."""
    word, off = SHOWN[language.code], language.say("off")
    match asked:
        case Back():
            return word["back"]
        case Keep():
            return word["keep"]
        case MoreTime(length):
            return f"{word['more']} {off if length is None else _length(length, language)}"
        case Quiet(windows):
            hours = ", ".join(_window(window, language) for window in windows)
            return f"{word['quiet']} {hours or off}"
        case Reminders():
            return f"{word['reminders']} {_reminders(asked, language)}"
        case Away():
            return _away(asked, language)
        case New():
            return _new(asked, language)


def in_words(text: str, language: Language) -> str | None:
    """Return the command with several words that a text gives as a line in this language; None if it gives none.

    Of a text that was cut, what stands behind its last comma is left out.
    """
    whole = text.rpartition(", ")[0] if text.endswith(_CUT) else text
    given = command(whole)
    if isinstance(given, _Phrased):
        line = as_line(given, language)
        return line if whole == text else f"{line}, {_CUT}"
    return None


def move_in_words(text: str, language: Language) -> str | None:
    """Return the placement that a text gives as a line in this language; None if it gives none."""
    given = command(text)
    if not isinstance(given, Pick):
        return None
    where = "" if given.at is None else f"{given.at[0]},{given.at[1]}"
    if given.choice is not None:
        if given.at is None:
            return f"{given.choice} {given.cell}"
        return language.say("choice %(number)s at %(cell)s", number=given.choice, cell=where)
    if given.at is not None:
        return f"{given.tile}@{where}"
    return language.say("tile %(number)s at %(cell)s", number=given.tile, cell=given.cell)


def _new(asked: New, language: Language) -> str:
    word = SHOWN[language.code]["new"]
    parts = [f"{word} {asked.seats}" if asked.seats else word]
    if asked.bots:
        parts.append(language.count("%(n)s bot", "%(n)s bots", asked.bots))
    if asked.clock is not None:
        parts.append(_clock(asked.clock, language))
    if asked.ladder is not None:
        parts += _ladder(asked.ladder, language)
    return ", ".join((*parts, *asked.addresses))


def _clock(clock: WrittenClock, language: Language) -> str:
    say = language.say
    if clock.per_wait is not None:
        return say("%(time)s a move", time=_length(clock.per_wait, language))
    if clock.bank is None:
        return say("no clock")
    bank, increment = _length(clock.bank, language), _length(clock.increment, language)
    if clock.cap is None:
        return say("bank %(bank)s plus %(increment)s", bank=bank, increment=increment)
    cap = _length(clock.cap, language)
    return say("bank %(bank)s plus %(increment)s, at most %(cap)s", bank=bank, increment=increment, cap=cap)


def _ladder(ladder: WrittenLadder, language: Language) -> list[str]:
    say = language.say
    parts = [] if ladder.nudge is None else [say("nudge %(time)s", time=_length(ladder.nudge, language))]
    if ladder.grace is not None:
        parts.append(say("grace %(time)s", time=_length(ladder.grace, language)) if ladder.grace else say("no grace"))
    if ladder.then is not None:
        then = {"out": say("then out"), "wait": say("then wait"), "autopilot": say("then a bot")}
        parts.append(then[ladder.then])
    if not ladder.quiet:
        parts.append(say("no quiet times"))
    return parts if ladder.absences else [*parts, say("no absences")]


def _reminders(asked: Reminders, language: Language) -> str:
    say = language.say
    if asked.points is None:
        return {"at_once": say("on"), "digest": say("digest"), "off": say("off")}[asked.how]
    return ", ".join(say("half") if point == "half" else _length(point, language) for point in asked.points)


def _away(asked: Away, language: Language) -> str:
    say = language.say
    if asked.last is None:
        return say("away for %(time)s", time=_length(timedelta(days=asked.days or 0), language))
    last = _day(asked.last, language)
    if asked.first is None:
        return say("away until %(day)s", day=last)
    if asked.first == asked.last:
        return say("away %(day)s", day=last) if asked.last.ahead is not None else say("away on %(day)s", day=last)
    return say("away from %(first)s to %(last)s", first=_day(asked.first, language), last=last)


def _length(length: timedelta, language: Language) -> str:
    return duration(length, language, 3)


def _day(day: WrittenDay, language: Language) -> str:
    if day.ahead is not None:
        return (language.say("today"), language.say("tomorrow"), language.say("the day after tomorrow"))[day.ahead]
    if day.day is None and day.weekday is not None:
        return _weekday(day.weekday, language)
    if day.month is None:
        return f"{day.day}." if language.code == "de" else str(day.day)
    written = date(_LEAP_YEAR, day.month, day.day or 1)
    text = language.dated(dates.format_skeleton("MMMMd", written, locale=language.locale))
    return f"{text} {day.year}" if day.year else text


def _window(window: QuietWindow, language: Language) -> str:
    hours = language.say("%(begin)s to %(end)s", begin=f"{window.begin:%H:%M}", end=f"{window.end:%H:%M}")
    if len(window.days) == _WEEK:
        return hours
    return f"{' '.join(_weekday(day, language) for day in sorted(window.days))} {hours}"


def _weekday(day: int, language: Language) -> str:
    names: Mapping[int, str] = dates.get_day_names("wide", locale=language.locale)
    return names[day]
