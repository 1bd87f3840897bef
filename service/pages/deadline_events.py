"""Write deadlines as calendar events (iCalendar, RFC 5545).

The UID of an event is that of a stretch, so the event stays the same when its deadline moves. Everything in it follows
from what is stored: the same deadlines give the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from icalendar import Calendar, Event, Timezone, TimezoneStandard, vDuration

from engine.phrases import Phrase
from service.access.links import table_link
from service.config import Settings
from service.language.languages import Language
from service.language.people import People
from service.queries.calendars import Deadline

_PRODUCER = "-//Nova Luna by post//Deadlines//EN"
_READ_EVERY = timedelta(hours=1)

_WHAT = {
    "nudge": Phrase("Nova Luna with %(others)s: your time runs out"),
    "grace": Phrase("Nova Luna with %(others)s: your grace period begins"),
    "autopilot": Phrase("Nova Luna with %(others)s: a bot takes over your seat"),
    "out": Phrase("Nova Luna with %(others)s: you are put out of the game"),
}
"""The consequence of each step for a player who does not move."""


def written(settings: Settings, account: str, deadlines: Sequence[Deadline], language: Language) -> bytes:
    """Return the calendar of an account's deadlines."""
    calendar = Calendar()
    calendar.add("prodid", _PRODUCER)
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    for name in ("name", "x-wr-calname"):
        calendar.add(name, language.say("Nova Luna by post"))
    calendar.add("refresh-interval", _READ_EVERY, parameters={"VALUE": "DURATION"})
    calendar.add("x-published-ttl", vDuration(_READ_EVERY))
    calendar.add_component(_utc())  # without a deadline, too, a calendar needs a component (RFC 5545, 3.6)
    for deadline in deadlines:
        calendar.add_component(_event(settings, account, deadline, language))
    made: bytes = calendar.to_ical()
    return made


def _utc() -> Timezone:
    """Return the definition of the time zone that all deadlines are in."""
    zone, standard = Timezone(), TimezoneStandard()
    zone.add("tzid", "UTC")
    standard.add("dtstart", datetime(1970, 1, 1))  # RFC 5545 wants it without a zone
    for name in ("tzoffsetfrom", "tzoffsetto"):
        standard.add(name, timedelta())
    zone.add_component(standard)
    return zone


def _event(settings: Settings, account: str, deadline: Deadline, language: Language) -> Event:
    people = People(deadline.names, deadline.seat, language)
    what = _WHAT[deadline.step]
    event = Event()
    event.add("uid", f"{deadline.table}-{deadline.stretch}@{urlsplit(settings.base_url).hostname}")
    event.add("dtstamp", deadline.changed_at)
    event.add("last-modified", deadline.changed_at)
    event.add("sequence", deadline.changes)
    event.add("dtstart", deadline.at)
    event.add("summary", language.say(what.message, others=people.others()))
    event.add("url", table_link(settings, account, deadline.table))
    event.add("transp", "TRANSPARENT")
    return event
