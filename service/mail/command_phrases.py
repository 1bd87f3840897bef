"""Write commands about time as people would, in each language: `away until 5 December`, `more time 2 days`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta

from babel import dates

from service.language.durations import duration
from service.language.languages import Language
from service.reading.commands import Away, Back, Keep, MoreTime, Quiet, QuietWindow, Reminders
from service.reading.grammar import command
from service.reading.shown_words import SHOWN
from service.reading.written_days import WrittenDay

_LEAP_YEAR = 2028
_WEEK = 7


def as_line(asked: Away | Back | Quiet | MoreTime | Keep | Reminders, language: Language) -> str:
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


def in_words(text: str, language: Language) -> str | None:
    """Return the command about time that a text gives as a line in this language; None if it gives none."""
    given = command(text)
    if isinstance(given, Away | Back | Quiet | MoreTime | Keep | Reminders):
        return as_line(given, language)
    return None


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
    text = dates.format_skeleton("MMMMd", date(_LEAP_YEAR, day.month, day.day or 1), locale=language.locale)
    return f"{text} {day.year}" if day.year else text


def _window(window: QuietWindow, language: Language) -> str:
    hours = language.say("%(begin)s to %(end)s", begin=f"{window.begin:%H:%M}", end=f"{window.end:%H:%M}")
    if len(window.days) == _WEEK:
        return hours
    return f"{' '.join(_weekday(day, language) for day in sorted(window.days))} {hours}"


def _weekday(day: int, language: Language) -> str:
    names: Mapping[int, str] = dates.get_day_names("wide", locale=language.locale)
    return names[day]
