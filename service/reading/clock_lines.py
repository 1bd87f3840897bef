"""Parse a line of a reply as a command about absences, quiet times, clocks or reminders.

    away until 5 December  away 1 to 5 December  away for 5 days  back
    quiet 22:00 to 07:00  quiet mon-fri 22:00 to 07:00, sat sun 0:00 to 10:00  quiet off
    more time 2 days  more off  I need two more days  keep
    reminders half, 24 hours, 3 hours  reminders off

The whole line must fit. A line that lacks something, or that can be read in two ways, becomes `Unclear`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import time, timedelta
from itertools import islice
from typing import Literal

from service.reading import clock_vocabulary as words
from service.reading.commands import Away, Back, Keep, MoreTime, OfTime, Quiet, QuietWindow, Reminders, Unclear
from service.reading.farewells import adds_nothing
from service.reading.time_requests import requested
from service.reading.tokens import simple
from service.reading.written_days import WrittenDay, names_day, read_day
from service.reading.written_times import (
    DAYS,
    DURATION,
    NO_DURATION,
    PART,
    TIME,
    UNIT,
    is_of_half_a_day,
    read_days,
    read_duration,
    read_time,
)

_MOST_CLAUSES = 8
_MOST_DAYS = 366
_MOST_POINTS = 5
_MOST_WINDOWS = 14
_EVERY_DAY = frozenset(range(7))


def _after(*listed: str) -> re.Pattern[str]:
    """Return the pattern that matches one of these phrases at the beginning of a line."""
    every = sorted((phrase for text in listed for phrase in words.listed(text)), key=len, reverse=True)
    return re.compile(rf"(?:{'|'.join(map(re.escape, every))})(?![\w'-])[ :,]*")


_AWAY, _BACK, _QUIET, _MORE, _REMINDERS = (
    _after(words.AWAY),
    _after(words.BACK, words.WILL_BE_BACK),
    _after(words.QUIET),
    _after(words.MORE),
    _after(words.REMINDERS),
)
_AWAY_BEHIND = re.compile(
    rf"(?:{words.either(words.SUBJECT_BEFORE)} (.+?)|(.+?),? {words.either(words.SUBJECT)}) "
    rf"({words.either(words.AWAY)})"
)
"""An absence whose time stands in front of the word for being away."""

_RETURN = re.compile(
    rf"(?:,| and| et| y| und)+ ?{words.either(f'{words.BACK}; {words.WILL_BE_BACK}')} "
    rf"(?:{words.either(words.ON_DAY)} )?(.+)$"
)
"""The day of return behind an absence, which has to be the one after its last day."""

_CLAUSE_END = re.compile(rf"[.!;,](?= )|(?= \(| - | {words.either(words.BECAUSE)} )")
_SHORTEST_MONTH = 28
_UNTIL, _FROM, _ON = _after(words.UNTIL), _after(words.FROM), _after(words.ON_DAY)
_TO, _FOR = _after(words.TO), _after(words.FOR)
_DASH = re.compile(r" ?- ?")
_DURATION = re.compile(DURATION)
_MORE_BEHIND = re.compile(rf"(?:{words.either(words.BEFORE_MORE)} )?({DURATION}) {words.either(words.MORE_BEHIND)}")
_MORE_WITHIN = re.compile(
    rf"(?:{words.either(words.BEFORE_MORE)} )?(\w{{1,6}}) {words.either(words.MORE_WITHIN)} (\w{{1,9}})"
)
_MORE_UNCLEAR = re.compile(
    rf"{NO_DURATION} {words.either(words.MORE_BEHIND)}|[-+]?\d[\d.,/½¼]* {words.either(words.MORE_WITHIN)} {UNIT}"
    rf"|{words.either(words.MORE)}[ :,]+{NO_DURATION}|{words.either(words.MORE_ALONE)}[ :,]+\S{{1,12}} {UNIT}"
)
"""More time by an amount that cannot be read, such as `1.5 days`, or in words that are not known."""

_WINDOW = re.compile(
    rf"(?:{words.either(words.FROM_TIME)} )?({TIME}) ?(?:-|{words.either(words.TO_TIME)}) ?({TIME})(?![\w:])"
)
_WINDOW_LIKE = re.compile(r"[\d:.h ]{3,12}(?: to | bis | a |-)[\d:.h ]{1,6}")
_DIGIT = re.compile(r"\d")
_DAYS = re.compile(rf"(?:(?:on|am|le|el|les|los) )?({DAYS})(?![\w-])")
_ABOUT = rf"(?:{_DAYS.pattern}|{words.either(words.TIMES_OF_DAY)})"
_ABOUT_WHEN = re.compile(rf"{_ABOUT}(?:(?:[,;+ ]|{words.either(words.AND)})+{_ABOUT}){{0,9}}")
"""Days or times of day without hours."""

_BETWEEN = re.compile(rf"(?:[,;+ ]|{words.either(words.AND)}(?= ))+")
_POINT = re.compile(rf"{words.either(words.HALF)}(?![\w])|{PART}")
_BEFORE_END = re.compile(rf" {words.either(words.BEFORE_END)}$")


def of_time(bare: str) -> OfTime | None:
    """Return the command that a line without polite words gives, or None if it gives none of these."""
    raw, low = bare, simple(bare).strip(" .!¿¡")
    if raw.isupper():  # the headings of our own mails are in capitals
        return None
    if (wanted := requested(low)) is not None and _more(wanted, raw) is not None:
        return Unclear(raw, "own")
    if low.endswith("?"):
        return None
    if low in words.listed(words.BACK):
        return Back()
    if _says_day_of_return(low):
        return Unclear(raw, "day")  # it does not say whether that day is the last one of the absence
    if low in words.listed(words.PERHAPS_BACK):
        return Unclear(raw, "readings", (Back(),))
    if low in words.listed(words.KEEP):
        return Keep()
    if low in words.listed(words.NO_REMINDERS):
        return Reminders(None, "off")
    return _absence(low, raw) or _quiet(low, raw) or _more(low, raw) or _reminders(low, raw)


def _absence(low: str, raw: str) -> Away | Unclear | None:
    """Return the absence that a line announces, or that one of its first clauses does.

    What follows that clause must name no other day. Unless it adds nothing, as an apology does, it may deny or limit
    the absence, so the player is asked.
    """
    whole = _away(low, raw)
    if whole is not None and whole != Unclear(raw, "day"):
        return whole
    for end in reversed(list(islice(_CLAUSE_END.finditer(low), _MOST_CLAUSES))):
        until = _away(low[: end.start()].strip(" .,!"), raw)
        if isinstance(until, Unclear) and until.readings:
            return until
        if not isinstance(until, Away) or (until.first is not None and until.first == until.last):
            continue  # a single day is as well mentioned in talk
        more = low[end.end() :]
        if _DIGIT.search(more) or names_day(more):
            return whole
        return until if adds_nothing(more) else Unclear(raw, "readings", (until,))
    return whole


def _away(low: str, raw: str) -> Away | Unclear | None:
    returning = _RETURN.search(low)
    if returning is not None and (until := _away(low[: returning.start()], raw)) is not None:
        days = read_day(returning[1])
        return until if isinstance(until, Away) and days and _is_day_after(until.last, days) else Unclear(raw, "day")
    if (turned := _AWAY_BEHIND.fullmatch(low)) is not None:
        low = f"{turned[3]} {turned[1] or turned[2]}"
    rest = _rest(_AWAY, low)
    if rest is None:
        return None
    if not rest or any(pattern.fullmatch(rest) for pattern in (_UNTIL, _FROM)):
        return Unclear(raw, "day") if rest or low in words.listed(words.AWAY_ALONE) else None
    if (length := _rest(_FOR, rest)) is not None and _DURATION.fullmatch(length):
        return _for_days(length)
    if _DURATION.fullmatch(rest):
        return _for_days(rest)
    if _is_without_end(rest) or (_rest(_UNTIL, rest) or _rest(_FOR, rest) or rest) in words.listed(words.ABOUT_THEN):
        return Unclear(raw, "day")
    readings = tuple(dict.fromkeys(_absences(rest)))
    if len(readings) > 1 and words.is_day_first(low):
        return readings[0]
    if not readings:  # a day that does not exist, or that is written in a way that is not known
        return Unclear(raw, "day") if _UNTIL.match(rest) and _DIGIT.search(rest) else None
    return readings[0] if len(readings) == 1 else Unclear(raw, "readings", readings)


def _is_day_after(last: WrittenDay | None, found: tuple[tuple[WrittenDay, ...], str]) -> bool:
    """Return whether one of the days that were read is the day after the last one of an absence."""
    if last is None or last.day is None or _said(found[1]):
        return False
    following = {last.day + 1} | ({1} if last.day >= _SHORTEST_MONTH else set())
    return any(day.day in following for day in found[0])


def _says_day_of_return(low: str) -> bool:
    day = _rest(_BACK, low)
    found = read_day(_rest(_ON, day) or day) if day else None
    return found is not None and not _said(found[1])


def _is_without_end(rest: str) -> bool:
    """Return whether only the first day is said, as in `from 5 December`."""
    begun = read_day(_rest(_FROM, rest) or "")
    return begun is not None and not _said(begun[1])


def _for_days(text: str) -> Away | None:
    length = read_duration(text)
    whole = length is not None and length >= timedelta(days=1) and not length % timedelta(days=1)
    return Away(None, None, length.days) if length and whole and length.days <= _MOST_DAYS else None


def _absences(rest: str) -> Iterator[Away]:
    """Yield the absences that may be meant by what follows the word for being away."""
    if (after := _rest(_UNTIL, rest)) is not None and (found := read_day(after)) is not None and not _said(found[1]):
        for day in found[0]:
            yield Away(None, day)
        return
    begun = read_day(_rest(_FROM, rest) or _rest(_ON, rest) or rest)
    if begun is None:
        return
    firsts, after = begun
    after = after.lstrip(" ,")
    found = read_day(_rest(_TO, after) or _rest(_DASH, after) or "")
    if found is None:
        if not _said(after):  # one day
            yield from (Away(day, day) for day in firsts)
        return
    lasts, end = found
    if _said(end):
        return
    if len(firsts) == len(lasts) == 2:  # both are written in the same way
        yield from (Away(first, last) for first, last in zip(firsts, lasts, strict=True))
        return
    yield from (Away(first, last) for first in firsts for last in lasts)


def _quiet(low: str, raw: str) -> Quiet | Unclear | None:
    rest = _rest(_QUIET, low)
    if low in words.listed(words.QUIET_OFF) or (rest is not None and rest in words.listed(words.OFF)):
        return Quiet(())
    if rest is None:
        return None
    if not rest:
        return Unclear(raw, "hours")
    windows = _windows(rest)
    if windows is None:
        is_meant = _WINDOW_LIKE.fullmatch(rest) or _ABOUT_WHEN.fullmatch(rest) or _WINDOW.match(rest)
        return Unclear(raw, "hours") if is_meant else None
    if words.is_english(low) and any(all(map(is_of_half_a_day, each.groups())) for each in _WINDOW.finditer(rest)):
        later = tuple(QuietWindow(each.days, _later(each.begin), each.end) for each in windows)
        return Unclear(raw, "readings", (Quiet(later), Quiet(windows)))
    return Quiet(windows)


def _later(at: time) -> time:
    return at.replace(hour=(at.hour + 12) % 24)


def _windows(rest: str) -> tuple[QuietWindow, ...] | None:
    """Return the windows that a text lists, or None if it contains anything else.

    The days stand either before or behind their hours, in the whole line alike; without days, every day is meant.
    """
    days: set[int] = set()
    hours: list[tuple[time, time]] = []
    found: list[QuietWindow] = []
    is_behind = _DAYS.match(rest) is None

    def close() -> None:
        found.extend(QuietWindow(frozenset(days) or _EVERY_DAY, *each) for each in hours)
        days.clear()
        hours.clear()

    at, was_days = 0, False
    while at < len(rest):
        if between := _BETWEEN.match(rest, at):
            at = between.end()
            continue
        if named := _DAYS.match(rest, at):
            if hours and not is_behind and not was_days:
                close()
            days |= read_days(named[1])
            at, was_days = named.end(), True
        elif window := _WINDOW.match(rest, at):
            begin, end = read_time(window[1]), read_time(window[2])
            if begin is None or end is None:
                return None
            if days and is_behind:
                close()
            hours.append((begin, end))
            at, was_days = window.end(), False
        else:
            return None
    close()
    return tuple(found) if 0 < len(found) <= _MOST_WINDOWS else None


def _more(low: str, raw: str) -> MoreTime | Unclear | None:
    if found := _MORE_BEHIND.fullmatch(low):
        return MoreTime(read_duration(found[1]))
    if (found := _MORE_WITHIN.fullmatch(low)) and _DURATION.fullmatch(length := f"{found[1]} {found[2]}"):
        return MoreTime(read_duration(length))
    rest = _rest(_MORE, low)
    if rest is not None and _DURATION.fullmatch(rest):
        return MoreTime(read_duration(rest))
    if _MORE_UNCLEAR.fullmatch(low):
        return Unclear(raw, "time")
    if rest is None:
        return None
    if not rest:
        return Unclear(raw, "time") if low in words.listed(words.MORE_ALONE) else None
    return MoreTime(None) if rest in words.listed(words.OFF) else None


def _reminders(low: str, raw: str) -> Reminders | Unclear | None:
    rest = _rest(_REMINDERS, low)
    if rest is None:
        return None
    if not rest:
        return Unclear(raw, "points")
    for how, listed in ((words.ON, "at_once"), (words.OFF, "off"), (words.IN_DIGEST, "digest")):
        if rest in words.listed(how):
            return Reminders(None, listed)  # type: ignore[arg-type]  # each is one of the values
    points = _points(_BEFORE_END.sub("", rest))
    return None if points is None else Reminders(points, "at_once")


def _points(rest: str) -> tuple[timedelta | Literal["half"], ...] | None:
    """Return the points that a text lists, or None if it contains anything else or too many."""
    found: list[timedelta | Literal["half"]] = []
    at = 0
    while at < len(rest):
        if between := _BETWEEN.match(rest, at):
            at = between.end()
        elif point := _POINT.match(rest, at):
            found.append(read_duration(point[0]) or "half")
            at = point.end()
        else:
            return None
    points = tuple(dict.fromkeys(found))
    return points if 0 < len(points) <= _MOST_POINTS else None


def _rest(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.match(text)
    return None if found is None else text[found.end() :].strip()


def _said(rest: str) -> bool:
    """Return whether the rest of a line says anything more than that the last day is included."""
    return rest.strip(" .,()") not in ("", *words.listed(words.INCLUDED))
