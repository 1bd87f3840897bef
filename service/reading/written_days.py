"""Read calendar days as people write them, in four languages, and find the dates that they mean."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, timedelta

from service.reading.command_words import phrases
from service.reading.written_times import WEEKDAY, WEEKDAYS

_MONTHS = (
    "january; jan; janvier; janv; enero; ene; januar; janner; jaenner",
    "february; feb; fevrier; fev; fevr; febrero; februar",
    "march; mar; mars; marzo; marz; maerz; mrz",
    "april; apr; avril; avr; abril; abr",
    "may; mai; mayo",
    "june; jun; juin; junio; juni",
    "july; jul; juillet; juil; julio; juli",
    "august; aug; aout; agosto; ago",
    "september; sep; sept; septembre; septiembre; set",
    "october; oct; octobre; octubre; oktober; okt",
    "november; nov; novembre; noviembre",
    "december; dec; decembre; diciembre; dic; dezember; dez",
)
_MONTH_NUMBERS = {word: month for month, words in enumerate(_MONTHS, start=1) for word in phrases(words)}
_MONTH = "|".join(sorted(_MONTH_NUMBERS, key=len, reverse=True))
_SOON = {
    **dict.fromkeys(("today", "aujourd'hui", "hoy", "heute"), 0),
    **dict.fromkeys(("tomorrow", "demain", "manana", "morgen"), 1),
    **dict.fromkeys(("the day after tomorrow", "apres-demain", "pasado manana", "ubermorgen", "uebermorgen"), 2),
}
_YEAR = r"(?:,? (?:de |del )?(?P<year{0}>20\d\d))?"
_NUMBER = r"(?:the |le |el |den |dem )?(?P<day{0}>\d{{1,2}})(?:st|nd|rd|th|er|ter|ten|\.)?"
_FORMS = (
    r"(?P<year1>20\d\d)-(?P<month1>\d{1,2})-(?P<day1>\d{1,2})",
    r"(?P<day2>\d{1,2})\. ?(?P<month2>\d{1,2})(?:\. ?(?P<year2>20\d\d|\d\d)?)?(?!\d)",
    r"(?P<one>\d{1,2})(?:/(?P<other>\d{1,2})(?:/(?P<year3>20\d\d|\d\d))?|-(?P<another>\d{1,2})-(?P<year7>20\d\d))(?!\d)",
    _NUMBER.format(4) + rf"(?: of| de| del)? ?(?P<name4>{_MONTH})\.?(?!\w)" + _YEAR.format(4),
    rf"(?P<name5>{_MONTH})\.? " + _NUMBER.format(5) + _YEAR.format(5),
    rf"(?:el |le |den )?(?P<weekday>{WEEKDAY})(?!\w)",
    rf"(?P<soon>{'|'.join(sorted(_SOON, key=len, reverse=True))})(?!\w)",
    _NUMBER.format(6),
)
_EACH = tuple(map(re.compile, _FORMS))
_NAMES = (*(word for word in WEEKDAYS if len(word) > 2), *_MONTH_NUMBERS, *_SOON)
_NAMED = re.compile(rf"(?<![\w.@-])(?:{'|'.join(map(re.escape, _NAMES))})(?!\w)")
_BEFORE_DATE = re.compile(rf"(?:el |le |den |dem )?(?P<weekday>{WEEKDAY})\.?,? (?:the |le |el |den |dem )?")


@dataclass(frozen=True, slots=True)
class WrittenDay:
    """A day as somebody wrote it.

    Attributes:
        day: the day of the month, or None.
        month: the month, or None.
        year: the year, or None.
        weekday: the day of the week, from 0 for Monday; without `day`, the next one is meant.
        ahead: the number of days from today, if that is what was written.
    """

    day: int | None = None
    month: int | None = None
    year: int | None = None
    weekday: int | None = None
    ahead: int | None = None


def read_day(text: str) -> tuple[tuple[WrittenDay, ...], str] | None:
    """Return the days that a text may begin with, and the rest of the text; None if it begins with none.

    Two days are returned for `5/12`, which some read as 5 December and others as May 12. A date may follow its weekday.
    The text is in lower case and without accents.
    """
    named = _BEFORE_DATE.match(text)
    dated = None if named is None else _read(text[named.end() :])
    if named is not None and dated is not None and all(day.day is not None for day in dated[0]):
        weekday = WEEKDAYS[named["weekday"]]
        return tuple(replace(day, weekday=weekday) for day in dated[0]), dated[1]
    return _read(text)


def names_day(text: str) -> bool:
    """Return whether a text in lower case and without accents names a day of the week, a month or a near day."""
    return _NAMED.search(text) is not None


def _read(text: str) -> tuple[tuple[WrittenDay, ...], str] | None:
    for form in _EACH:
        found = form.match(text)
        if found is None:
            continue
        days = tuple(day for day in _days(found.groupdict()) if _exists(day))
        if days:
            return days, text[found.end() :]
    return None


def _days(parts: dict[str, str | None]) -> tuple[WrittenDay, ...]:
    given = {name.rstrip("1234567"): text for name, text in parts.items() if text is not None}
    if "soon" in given:
        return (WrittenDay(ahead=_SOON[given["soon"]]),)
    if "weekday" in given:
        return (WrittenDay(weekday=WEEKDAYS[given["weekday"]]),)
    year = int(given["year"]) if "year" in given else None
    year = year + 2000 if year is not None and year < 100 else year
    if "one" in given:
        one, other = int(given["one"]), int(given.get("other") or given["another"])
        pairs = dict.fromkeys(((one, other), (other, one)))
        return tuple(WrittenDay(day, month, year) for day, month in pairs)
    month = int(given["month"]) if "month" in given else _MONTH_NUMBERS.get(given.get("name", ""))
    return (WrittenDay(int(given["day"]), month, year),)


def _exists(written: WrittenDay) -> bool:
    """Return whether there is such a day in some year."""
    if written.day is None:
        return True
    return _date(written.year or 2024, written.month or 1, written.day) is not None  # 2024 has a 29 February


def last_day(written: WrittenDay, today: date) -> date | None:
    """Return the next date of a written day, today included; None if there is none, or if it is on another weekday.

    A weekday alone is always after today.
    """
    if written.ahead is not None:
        return today + timedelta(days=written.ahead)
    if written.day is None:
        assert written.weekday is not None, "something was written"
        return _next(written.weekday, today)
    if written.year is not None:
        return _agreeing(written, _date(written.year, written.month or today.month, written.day))
    months = range(written.month, 13, 12) if written.month else range(1, 13)
    every = (
        found
        for year in range(today.year, today.year + 9)
        for month in months
        if (found := _date(year, month, written.day or 1)) is not None and found >= today
    )
    return _agreeing(written, next(every, None))


def _agreeing(written: WrittenDay, found: date | None) -> date | None:
    """Return a date unless the written day is on another weekday."""
    return None if found is None or written.weekday not in (None, found.weekday()) else found


def both_days(first: WrittenDay, last: WrittenDay, today: date) -> tuple[date, date] | None:
    """Return the first and the last date of an absence; the last is the next such day.

    The first is the latest such day that is not after the last. What one of them leaves open is taken from the other.
    If the last is a weekday alone, it is the next one after the first where the first is a weekday, too, or is nearer
    ahead than behind. None is returned if there are no such days, or if a date is on another weekday than is written.
    """
    if first.month is not None and last.month is None and last.day is not None:
        last = replace(last, month=first.month, year=first.year)
        if first.day is not None and (last.day or 0) < first.day:
            last = replace(last, month=(first.month % 12) + 1, year=None)
    end = last_day(last, today)
    if end is None:
        return None
    date_alone = first if first.day is None else replace(first, weekday=None)
    begin = _first_day(date_alone, end, today)
    if begin is None:
        return None
    if last.day is None and last.weekday is not None and begin < today:
        ahead = last_day(date_alone, today)
        if ahead is not None and (first.day is None or ahead - today < today - begin):
            begin, end = ahead, _next(last.weekday, ahead)
    return None if _agreeing(first, begin) is None else (begin, end)


def _next(weekday: int, after: date) -> date:
    return after + timedelta(days=(weekday - after.weekday() - 1) % 7 + 1)


def _first_day(first: WrittenDay, end: date, today: date) -> date | None:
    if first.ahead is not None:
        return today + timedelta(days=first.ahead)
    if first.day is None:
        assert first.weekday is not None, "something was written"
        return end - timedelta(days=(end.weekday() - first.weekday) % 7)
    if first.year is not None:
        return _date(first.year, first.month or end.month, first.day)
    day = end
    for _ in range(400):
        if day.day == first.day and first.month in (None, day.month):
            return day
        day -= timedelta(days=1)
    return None


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
