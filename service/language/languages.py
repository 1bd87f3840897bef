"""The languages of mails, pages, pictures and errors: translations from gettext catalogs, and formats from the CLDR.

The English text of a message is its key. Values stand in it as ``%(name)s``. If a number decides the form, there is a
text for one and a text for more, and each catalog has as many forms as its language needs. A message without values is
used as it is, so a percent sign in it is only itself.
"""

from __future__ import annotations

import gettext
import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from functools import cache, lru_cache
from importlib.resources import files
from io import BytesIO
from itertools import islice
from threading import Lock
from typing import Literal

from babel import Locale, dates, lists, numbers
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from cachetools import LRUCache, cached

from engine.phrases import Phrase
from service.clocks.zones import zone as zone_of
from service.language import french, full_stops
from service.language.spanish import euphonic

_LOCALES = {"en": "en_GB", "fr": "fr", "es": "es", "de": "de"}
"""The locale whose formats each language uses."""

CODES = tuple(_LOCALES)
"""The codes of all languages, English first."""

_MOST_RANGES, _LONGEST_RANGE = 100, 35
"""The number of requested ranges that are looked at, and of subtags in each (RFC 5646, 4.4.1)."""

_KEPT = 1_000
"""The number of formatted numbers, lists, days and zones that are cached: a table repeats the same few many times."""


@dataclass(frozen=True, slots=True)
class Language:
    """A language that the service speaks; `code` is one of `CODES`."""

    code: str
    locale: Locale = field(repr=False, compare=False)
    catalog: gettext.NullTranslations = field(repr=False, compare=False)

    def say(self, message: str | Phrase, **facts: object) -> str:
        """Translate a message and insert its values, formatting numbers; a `Phrase` carries its own values."""
        phrase = message if isinstance(message, Phrase) else Phrase(message, facts)
        text = self.catalog.gettext(phrase.message)
        return self.filled(text, phrase.facts) if phrase.facts else text

    def count(self, one: str, more: str, number: int, **facts: object) -> str:
        """Return a translated message in the form for a number, which is also its value ``%(n)s``."""
        text = self.catalog.ngettext(one, more, number)
        return self.filled(text, {"n": number, **facts})

    def number(self, number: int) -> str:
        """Return a number in digits."""
        return _decimal(number, self)

    def listed(self, items: Iterable[str], last: Literal["and", "or"] = "and") -> str:
        """Join items into one phrase: `a`, `a and b`, `a, b and c`; empty for none."""
        return _list(tuple(items), last, self)

    def joined(self, items: Iterable[str]) -> str:
        """Join items that may contain commas themselves: `a, b; c`; empty for none."""
        return self.say("%(before)s; %(after)s", before="", after="").join(items)

    def quoted(self, text: str) -> str:
        """Return a text in this language's quotation marks."""
        return self.say("“%(text)s”", text=text)

    def day(self, at: datetime, zone: str = "UTC") -> str:
        """Return the date of an aware time in a zone of the IANA database: `27 November 2026`."""
        return _day(at.astimezone(zone_of(zone)).date(), self)

    def moment(self, at: datetime, zone: str = "UTC") -> str:
        """Return an aware time in a zone, with the zone's name: `27 November 2026, 20:56 UTC`.

        A zone without a short name in this language is given as its offset, in the short localized GMT format of the
        CLDR (UTS 35): `21:56 UTC+1`. So is a zone whose abbreviation is gone from the IANA database, such as Morocco's,
        though the package still has a name for it.
        """
        there = at.astimezone(zone_of(zone))
        clock = _time_of_day(there.hour, there.minute, self)
        return f"{_day(there.date(), self)}, {clock} {_zone_name(there, zone, self)}"

    def filled(self, text: str, facts: Mapping[str, object]) -> str:
        """Return a translated text with its values, numbers among them formatted."""
        given = full_stops.without(text, facts)
        return self.fitted(text, facts) % {
            name: self.number(fact) if type(fact) is int else fact for name, fact in given.items()
        }

    def fitted(self, text: str, facts: Mapping[str, object]) -> str:
        """Return a translated text with the words that the values behind them decide: `d’Ann` in French."""
        return french.elided(text, facts) if self.code == "fr" else text

    def dated(self, date: str) -> str:
        """Return a date that the CLDR has formatted, as it is written in this language."""
        return french.with_first(date) if self.code == "fr" else date


@cache
def language(code: str) -> Language:
    """Return the language with a code, or English if there is none."""
    if code not in CODES:
        return ENGLISH
    catalog = gettext.NullTranslations() if code == "en" else _catalog(code)
    return Language(code, Locale.parse(_LOCALES[code]), catalog)


@lru_cache(maxsize=_KEPT)
def _day(day: date, language: Language) -> str:
    return language.dated(dates.format_date(day, "long", locale=language.locale))


@lru_cache(maxsize=24 * 60)
def _time_of_day(hour: int, minute: int, language: Language) -> str:
    return dates.format_time(time(hour, minute), "short", locale=language.locale)


def _named_alike(there: datetime, zone: str, language: Language) -> Hashable:
    """Return the key that times with the same name of their zone share."""
    return zone, there.tzname(), there.utcoffset(), there.dst(), language


@cached(LRUCache(_KEPT), key=_named_alike, lock=Lock())
def _zone_name(there: datetime, zone: str, language: Language) -> str:
    """Return the short name of the zone that a time is in, or its offset."""
    named = dates.get_timezone_name(there, width="short", locale=language.locale)
    if named[:1] in "+-" or (there.tzname() or "+")[:1] in "+-":
        named = dates.get_timezone_gmt(there, locale=language.locale)
    return _short(named)


def _short(zone: str) -> str:
    """Shorten `GMT-05:00` to its significant digits, since the package only has the long form; keep other names."""
    return re.sub(r"([+-])0?(\d+)(?::00)?(:\d\d)?$", r"\1\2\3", zone).removesuffix("+0")


@lru_cache(maxsize=_KEPT)
def _decimal(number: int, language: Language) -> str:
    return numbers.format_decimal(number, locale=language.locale)


@lru_cache(maxsize=_KEPT)
def _list(items: tuple[str, ...], last: str, language: Language) -> str:
    style: Literal["standard", "or"] = "standard" if last == "and" else "or"
    text = lists.format_list(items, style=style, locale=language.locale)
    return euphonic(text, items[-1]) if language.code == "es" and len(items) > 1 else text


def looked_up(ranges: Iterable[str]) -> Language:
    """Return the best language for ranges such as `fr-CA`, the most wanted first, or English if none fits.

    It is the Lookup of RFC 4647 (3.4): `fr-CA` finds `fr` before a less wanted `en` is looked at.
    """
    for wanted in islice(ranges, _MOST_RANGES):
        subtags = wanted[:_LONGEST_RANGE].lower().split("-")
        while subtags:
            if "-".join(subtags) in CODES:
                return language("-".join(subtags))
            subtags.pop()
    return ENGLISH


def _catalog(code: str) -> gettext.NullTranslations:
    """Return the catalog, compiled as it is read, so that no build step can be forgotten."""
    with files("service.language").joinpath("catalogs", f"{code}.po").open("rb") as file:
        compiled = BytesIO()
        write_mo(compiled, read_po(file, locale=code))
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)


ENGLISH = language("en")


@dataclass(frozen=True, slots=True)
class Reader:
    """The language and the time zone (a name of the IANA database) that somebody is written to in."""

    language: Language = ENGLISH
    zone: str = "UTC"

    def moment(self, at: datetime) -> str:
        """Return an aware time in this reader's language and zone."""
        return self.language.moment(at, self.zone)
