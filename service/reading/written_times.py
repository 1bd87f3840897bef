"""Read durations, times of day and weekdays as people write them, in four languages.

Every text is in lower case and without accents, as `service.reading.tokens.simple` returns it.
"""

from __future__ import annotations

import re
from datetime import time, timedelta

from service.reading.command_words import phrases


def _any(*words: str) -> str:
    """Return a pattern for any of the words, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "twelve": 12, "un": 1, "une": 1, "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "sept": 7, "huit": 8,
    "neuf": 9, "dix": 10, "douze": 12, "una": 1, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7,
    "ocho": 8, "nueve": 9, "diez": 10, "doce": 12, "ein": 1, "eine": 1, "einen": 1, "einem": 1, "einer": 1, "zwei": 2,
    "drei": 3, "vier": 4, "funf": 5, "fuenf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "zwolf": 12,
    "zwoelf": 12,
}  # fmt: skip
_UNITS = {
    timedelta(days=7): "week weeks semaine semaines semana semanas woche wochen",
    timedelta(days=1): "d day days j jour jours dia dias tag tage tagen",
    timedelta(hours=1): "h hr hrs hour hours heure heures hora horas stunde stunden std",
    timedelta(minutes=1): "min mins minute minutes minuto minutos minuten",
}
_LENGTH = {word: length for length, words in _UNITS.items() for word in words.split()}
_ISO_FORM = r"p(?=[\dt])(?:\d{1,3}d)?(?:t(?:\d{1,3}h)?(?:\d{1,3}m)?)?(?!\w)"
_WORDS = rf"(?:\d{{1,3}}|(?:{_any(*_NUMBERS)})(?= )) ?(?:{_any(*_LENGTH)})(?![\w@])"
UNIT = rf"(?:{_any(*_LENGTH)})(?![\w@])"
"""The pattern of a unit of time."""

NO_DURATION = rf"[-+]?\d[\d.,/½¼]* ?{UNIT}"
"""The pattern of a number of units, among them those that are no duration: `1.5 days`, `-3 days`."""

PART = rf"(?:{_WORDS}|{_ISO_FORM})"
"""The pattern of a duration of one unit."""

DURATION = rf"(?:{_WORDS}(?:(?:,| and| et| und| y)? ?{_WORDS}){{0,2}}|{_ISO_FORM})"
"""The pattern of a duration: `2 days`, `a day and 12 hours`, `36h`, `p1dt12h`."""

_EACH_PART = re.compile(rf"(?<!\w)(\d{{1,3}}|(?:{_any(*_NUMBERS)})(?= )) ?({_any(*_LENGTH)})(?!\w)")
_ISO = re.compile(r"p(?:(\d{1,3})d)?(?:t(?:(\d{1,3})h)?(?:(\d{1,3})m)?)?")


def read_duration(text: str) -> timedelta | None:
    """Return the duration that a text which fits `DURATION` gives."""
    if iso := _ISO.fullmatch(text):
        days, hours, minutes = (int(part or 0) for part in iso.groups())
        return timedelta(days=days, hours=hours, minutes=minutes)
    parts = _EACH_PART.findall(text)
    if not parts:
        return None
    return sum(((_NUMBERS.get(number) or int(number)) * _LENGTH[unit] for number, unit in parts), timedelta())


TIME = (
    r"(?:(?:[01]?\d|2[0-4]) ?(?::|\.|h|uhr) ?[0-5]\d|(?:[01]?\d|2[0-4]))"
    r"(?: ?(?:a\.?m\.?|p\.?m\.?|uhr|heures?|hours?|horas?|h|o'clock))?(?!\w)"
    r"|midnight|noon|minuit|midi|mitternacht|medianoche|mediodia"
)
"""The pattern of a time of day: `22:00`, `22h`, `10 pm`, `7`."""

_CLOCK = re.compile(r"(\d{1,2})(?: ?(?::|\.|h|uhr) ?(\d\d))? ?(a\.?m\.?|p\.?m\.?|uhr|heures?|hours?|horas?|h|o'clock)?")
_NAMED = {"midnight": 0, "minuit": 0, "mitternacht": 0, "medianoche": 0, "noon": 12, "midi": 12, "mediodia": 12}


def read_time(text: str) -> time | None:
    """Return the time of day that a text which fits `TIME` gives, or None if there is no such time."""
    if text in _NAMED:
        return time(_NAMED[text])
    found = _CLOCK.fullmatch(text)
    if found is None:
        return None
    hour, minute = int(found[1]), int(found[2] or 0)
    half = (found[3] or "").replace(".", "")
    if half in ("am", "pm"):
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "pm" else 0)
    if hour > 24 or (hour == 24 and minute):
        return None
    return time(hour % 24, minute)


def is_of_half_a_day(text: str) -> bool:
    """Return whether a time is a bare number up to 12, which may be in the morning or in the evening."""
    return text.isdecimal() and int(text) <= 12


_DAYS = (
    "mon; monday; mondays; lun; lundi; lundis; lunes; mo; montag; montags",
    "tue; tues; tuesday; tuesdays; mar; mardi; mardis; martes; di; dienstag; dienstags",
    "wed; wednesday; wednesdays; mer; mercredi; mercredis; mie; miercoles; mi; mittwoch; mittwochs",
    "thu; thur; thurs; thursday; thursdays; jeu; jeudi; jeudis; jue; jueves; do; donnerstag; donnerstags",
    "fri; friday; fridays; ven; vendredi; vendredis; vie; viernes; fr; freitag; freitags",
    "sat; saturday; saturdays; sam; samedi; samedis; sab; sabado; sabados; sa; samstag; samstags; sonnabend",
    "sun; sunday; sundays; dim; dimanche; dimanches; dom; domingo; domingos; so; sonntag; sonntags",
)
WEEKDAYS = {word: day for day, words in enumerate(_DAYS) for word in phrases(words)}
"""The number of each weekday by its names and short names, from 0 for Monday."""

WEEKDAY = _any(*WEEKDAYS)
"""The pattern of a weekday's name."""

_WORKING, _FREE, _ALL = range(5), range(5, 7), range(7)
DAY_GROUPS: dict[str, range] = {
    **dict.fromkeys(phrases("weekdays; on weekdays; en semaine; entre semana; werktags; wochentags"), _WORKING),
    **dict.fromkeys(
        phrases(
            "weekend; weekends; on weekends; at weekends; le week-end; week-end; week-ends; fin de semana;"
            "fines de semana; los fines de semana; wochenende; am wochenende; wochenends"
        ),
        _FREE,
    ),
    **dict.fromkeys(
        phrases("every day; daily; each day; tous les jours; todos los dias; cada dia; jeden tag; taglich; taeglich"),
        _ALL,
    ),
}
"""Phrases for several days of the week."""

DAYS = rf"(?:{_any(*DAY_GROUPS)}|(?:{WEEKDAY})(?: ?(?:-|to|through|a|bis|au|al) ?(?:{WEEKDAY}))?)"
"""The pattern of one day of the week, of a range of them, or of a group."""

_DAY_RANGE = re.compile(rf"({WEEKDAY})(?: ?(?:-|to|through|a|bis|au|al) ?({WEEKDAY}))?")


def read_days(text: str) -> frozenset[int]:
    """Return the days of the week that a text which fits `DAYS` gives, from 0 for Monday."""
    if text in DAY_GROUPS:
        return frozenset(DAY_GROUPS[text])
    found = _DAY_RANGE.fullmatch(text)
    if found is None:
        return frozenset()
    first, last = WEEKDAYS[found[1]], WEEKDAYS[found[2] or found[1]]
    return frozenset((first + step) % 7 for step in range((last - first) % 7 + 1))
