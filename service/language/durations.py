"""Durations and times of clocks in words, in the reader's language and zone.

They are rounded down, so that nobody is told of more time than there is.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import reduce

from babel import dates

from engine.clock.durations import parse
from engine.phrases import Phrase
from service.clocks.zones import zone as zone_of
from service.language import spanish
from service.language.languages import Language, Reader

_MINUTE, _HOUR, _DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
_WEEK_DAYS = 6
"""For how many days ahead the name of the weekday alone is clear."""


def duration(time: timedelta, language: Language, units: int = 2) -> str:
    """Return a duration in its largest units, rounded down: `2 days 4 hours`, `1 hour 30 minutes`, `3 days`."""
    if time < _MINUTE:
        return language.say("less than a minute") if time else language.count("%(n)s minute", "%(n)s minutes", 0)
    days, rest = divmod(time, _DAY)
    hours, rest = divmod(rest, _HOUR)
    minutes = rest // _MINUTE
    parts = (
        (days, language.count("%(n)s day", "%(n)s days", days)),
        (hours, language.count("%(n)s hour", "%(n)s hours", hours)),
        (minutes, language.count("%(n)s minute", "%(n)s minutes", minutes)),
    )
    largest = next(place for place, (number, _) in enumerate(parts) if number)
    words = [text for number, text in parts[largest : largest + units] if number]
    return reduce(lambda larger, smaller: language.say("%(larger)s %(smaller)s", larger=larger, smaller=smaller), words)


_ISO = re.compile(r"P(?=[\dT])(?:\d{1,6}D)?(?:T(?=\d)(?:\d{1,6}H)?(?:\d{1,6}M)?)?")


def say_why(why: Phrase, language: Language) -> str:
    """Return the reason for a refusal for people, who read `3 days` and not `P3D` as clients of the API do."""
    facts = {
        name: duration(parse(fact), language, 3) if isinstance(fact, str) and _ISO.fullmatch(fact) else fact
        for name, fact in why.facts.items()
    }
    return language.say(Phrase(why.message, facts))


_UTC = "UTC"
"""The zone of readers who have chosen none, or have no account: nobody is told that it is their time."""


def instant(at: datetime, now: datetime, reader: Reader) -> str:
    """Return a time in the reader's zone, rounded down to minutes: `Tuesday 18:00 your time`.

    A day that is more than six days away has its date too: `Tuesday 8 December 2026, 18:00 your time`. In the zone UTC
    it is `Tuesday 18:00 UTC`.
    """
    there = at.astimezone(zone_of(reader.zone)).replace(second=0, microsecond=0)
    today = now.astimezone(there.tzinfo).date()
    language = reader.language
    clock = dates.format_time(there, "HH:mm", locale=language.locale)
    if 0 <= (there.date() - today).days <= _WEEK_DAYS:
        weekday = _weekday(there, language)
        if reader.zone == _UTC:
            text = language.say("%(weekday)s %(time)s UTC", weekday=weekday, time=clock)
        else:
            text = language.say("%(weekday)s %(time)s your time", weekday=weekday, time=clock)
        return _timed(text, language)
    day = language.dated(dates.format_date(there, "full", locale=language.locale))
    if reader.zone == _UTC:
        return _timed(language.say("%(day)s, %(time)s UTC", day=day, time=clock), language)
    return _timed(language.say("%(day)s, %(time)s your time", day=day, time=clock), language)


def _timed(text: str, language: Language) -> str:
    return spanish.with_one_oclock(text) if language.code == "es" else text


def _weekday(there: datetime, language: Language) -> str:
    return dates.format_date(there, "EEEE", locale=language.locale)
