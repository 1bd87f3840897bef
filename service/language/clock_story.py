"""Sentences about the marks of clocks and of the host, in the reader's language."""

from __future__ import annotations

from engine.clock import marks
from engine.clock.mark_forms import EntryError, read
from engine.moves import Mark
from service.language.clock_settings import clock_in_words
from service.language.durations import duration
from service.language.languages import Language
from service.language.people import People, isolated
from service.language.sanitize import one_line


def said_by(mark: Mark, seat: int | None, people: People, zone: str = "UTC") -> str | None:
    """Return the meaning of a mark in one or more sentences; None if it is not the clock's or the host's.

    Times in it are in the zone.
    """
    try:
        value = read(mark)
    except EntryError:
        return None
    if value is None:
        return None
    if isinstance(value, marks.HostMore | marks.HostPause | marks.HostResume | marks.HostOut | marks.HostEnd):
        return _by_host(value, people, zone)
    if isinstance(value, marks.ClockStart):
        return clock_in_words(value.terms, people.language)
    if isinstance(value, marks.Outage):
        return _outage(value, people.language)
    if isinstance(value, marks.AbandonWarning):
        return _warning(value, people.language, zone)
    if seat is None:
        return None
    return _of_seat(value, seat == people.reader, people.called(seat), people.language)


def _of_seat(
    value: marks.LadderStep | marks.Autopilot | marks.Back | marks.Keep | marks.More,
    mine: bool,
    name: str,
    language: Language,
) -> str:
    say = language.say
    match value:
        case marks.LadderStep("nudge"):
            up = say("Your time was up.") if mine else say("The time of %(name)s was up.", name=name)
            return f"{up} {_next(value, mine, language)}"
        case marks.LadderStep():
            begun = (
                say("Your grace period began; it comes once in a game.")
                if mine
                else say("The grace period of %(name)s began; it comes once in a game.", name=name)
            )
            return f"{begun} {_next(value, mine, language)}"
        case marks.Autopilot():
            if mine:
                return say("You did not move, so a bot took over your seat.")
            return say("%(name)s did not move, so a bot took over the seat.", name=name)
        case marks.Back():
            return say("You took your seat back from the bot.") if mine else say("%(name)s is back.", name=name)
        case marks.Keep():
            if mine:
                return say("You asked for the game to be kept.")
            return say("%(name)s asked for the game to be kept.", name=name)
        case marks.More(_, lasts):
            time = duration(lasts, language)
            if mine:
                return say("The others gave you %(time)s more.", time=time)
            return say("The others gave %(name)s %(time)s more.", name=name, time=time)


def _next(step: marks.LadderStep, mine: bool, language: Language) -> str:
    """Return a sentence about the next step that a step has announced."""
    say, time = language.say, duration(step.lasts, language)
    match step.next:
        case "grace":
            return say("After %(time)s, a last grace period was to follow.", time=time)
        case "autopilot":
            if mine:
                return say("After %(time)s, a bot was to take over your seat.", time=time)
            return say("After %(time)s, a bot was to take over the seat.", time=time)
        case "out":
            if mine:
                return say("After %(time)s, you were to be put out of the game.", time=time)
            return say("After %(time)s, the seat was to be put out of the game.", time=time)
        case None:
            return say("The game waits.")


def _by_host(
    value: marks.HostMore | marks.HostPause | marks.HostResume | marks.HostOut | marks.HostEnd,
    people: People,
    zone: str,
) -> str:
    language, say = people.language, people.language.say
    reason = language.quoted(isolated(one_line(value.reason)))
    match value:
        case marks.HostMore(_, seat, lasts):
            time = duration(lasts, language)
            if seat == people.reader:
                return say("The host gave you %(time)s more: %(reason)s", time=time, reason=reason)
            return say(
                "The host gave %(name)s %(time)s more: %(reason)s", name=people.called(seat), time=time, reason=reason
            )
        case marks.HostPause(until):
            return say(
                "The host paused the game, until %(until)s at the latest: %(reason)s",
                until=language.moment(until, zone),
                reason=reason,
            )
        case marks.HostResume():
            return say("The host ended the pause: %(reason)s", reason=reason)
        case marks.HostOut(seat):
            if seat == people.reader:
                return say("The host put you out of the game: %(reason)s", reason=reason)
            return say("The host put %(name)s out of the game: %(reason)s", name=people.called(seat), reason=reason)
        case marks.HostEnd():
            return say("The host ended the game: %(reason)s", reason=reason)


def _outage(value: marks.Outage, language: Language) -> str:
    return language.say(
        "The service failed for %(time)s; in that time no clock ran.",
        time=duration(value.ends - value.begins, language),
    )


def _warning(value: marks.AbandonWarning, language: Language, zone: str) -> str:
    return language.say(
        "Nobody has moved for a long time. If nobody moves or asks for the game to be kept, it ends after %(until)s.",
        until=language.moment(value.not_before, zone),
    )
