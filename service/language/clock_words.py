"""Sentences about a game's clock: the time left, why the clock stands still, and what comes next."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

from service.language.durations import duration, instant
from service.language.languages import Language, Reader
from service.language.people import People


class Away(NamedTuple):
    """A player's absence that is on or ahead."""

    seat: int
    begins: datetime
    ends: datetime


@dataclass(frozen=True, slots=True)
class ClockShown:
    """The clock of a running game, as its reader may see it.

    Attributes:
        seat: the seat whose time counts.
        stage: the stage of the ladder: `in_time`, `nudge`, `grace` or `autopilot`.
        stands_still_because: why the clock stands still, or None if it runs.
        stands_still_until: when it runs again, if that can be foreseen.
        runs_out_at: when the time is up, if nothing changes; None if that cannot be foreseen.
        next_step: the next step of the ladder (`nudge`, `grace`, `autopilot`, `out`); None if there is none.
        next_at: when that step is due, if nothing changes.
        at: the time of this view; views that differ only in it are equal.
        left: the time left at `at`; None if the seat has no time of its own.
        away: the next absence of each seat that has announced one, for readers who are at the table.
        then_because: the further reasons why it goes on to stand still until `stands_still_until`.
    """

    seat: int
    stage: str
    stands_still_because: str | None
    stands_still_until: datetime | None
    runs_out_at: datetime | None
    next_step: str | None
    next_at: datetime | None
    at: datetime = field(compare=False)
    left: timedelta | None = field(compare=False)
    away: tuple[Away, ...] = ()
    then_because: tuple[str, ...] = ()

    @property
    def waits_for_step(self) -> bool:
        """True if the time is up and the first step is not taken yet, because of a pause or a failure (8.2)."""
        ends = self.runs_out_at
        if self.stage != "in_time" or ends is None:
            return False
        return ends <= self.at or (self.next_at is not None and ends < self.next_at)


def clock_line(clock: ClockShown, people: People, zone: str, *, stays: bool = False) -> str:
    """Return a sentence or two about the clock for its reader, nothing if a bot without one is to move.

    Times are in the reader's zone. What `stays` on a screen while the clock runs does not say how much time is left, so
    that it never shows more than there is (10.3).
    """
    reader = Reader(people.language, zone)
    mine = clock.seat == people.reader
    if clock.stage in ("nudge", "grace"):
        return _time_is_up(clock, people, reader, mine)
    if clock.stands_still_because == "bot":
        return ""
    if clock.stage == "autopilot":
        return _bot_plays(clock.seat, people)
    if clock.waits_for_step:
        return _step_waits(clock, people, reader, mine)
    if mine:
        return _own(clock, reader, stays)
    return _of_other(clock, people.called(clock.seat), reader)


def _standstill(clock: ClockShown, language: Language) -> str:
    """Return the reasons why a clock stands still, each in a word or two."""
    reasons = (clock.stands_still_because or "", *clock.then_because)
    return language.listed(_reason(reason, language) for reason in reasons)


def _reason(reason: str, language: Language) -> str:
    match reason:
        case "paused":
            return language.say("the game is paused")
        case "absent":
            return language.say("absence")
        case "quiet":
            return language.say("quiet times")
        case _:
            return language.say("autopilot")


def coming_step(clock: ClockShown, people: People, zone: str) -> str:
    """Return a sentence about the step that comes if the player to move does nothing; empty if none does."""
    if clock.next_step is None:
        return ""
    reader, say = Reader(people.language, zone), people.language.say
    by = _by(clock, reader)
    if clock.seat == people.reader:
        return _own_step(clock.next_step, by, people.language)
    name = people.called(clock.seat)
    match clock.next_step:
        case "nudge":
            return say("%(name)s has time until %(until)s.", name=name, until=by)
        case "grace":
            return say("If %(name)s has not moved by %(by)s, a last grace period begins.", name=name, by=by)
        case "autopilot":
            return say("If %(name)s has not moved by %(by)s, a bot takes over the seat.", name=name, by=by)
        case _:
            return say("If %(name)s has not moved by %(by)s, that seat is out of the game.", name=name, by=by)


def _own(clock: ClockShown, reader: Reader, stays: bool) -> str:
    """Return a sentence about the time that the reader has."""
    say, language = reader.language.say, reader.language
    left = duration(clock.left or timedelta(), language)
    until = None if clock.runs_out_at is None else instant(clock.runs_out_at, clock.at, reader)
    if clock.stands_still_because is None:
        if until is None:
            return say("You have %(left)s left.", left=left)
        if stays:
            return say("You have time until %(until)s.", until=until)
        return say("%(left)s left, until %(until)s.", left=left, until=until)
    why = _standstill(clock, language)
    if clock.stands_still_until is None or until is None:
        return say("Your clock stands still (%(why)s); after that you have %(left)s left.", why=why, left=left)
    return say(
        "Your clock stands still until %(again)s (%(why)s); then you have %(left)s left, until %(until)s.",
        again=instant(clock.stands_still_until, clock.at, reader),
        why=why,
        left=left,
        until=until,
    )


def _of_other(clock: ClockShown, name: str, reader: Reader) -> str:
    """Return a sentence about the time that another player has."""
    say = reader.language.say
    until = None if clock.runs_out_at is None else instant(clock.runs_out_at, clock.at, reader)
    if clock.stands_still_because is not None:
        why = _standstill(clock, reader.language)
        if until is None or clock.stands_still_until is None:
            return say("The clock of %(name)s stands still (%(why)s).", name=name, why=why)
        return say(
            "The clock of %(name)s stands still until %(again)s (%(why)s); then there is time until %(until)s.",
            name=name,
            again=instant(clock.stands_still_until, clock.at, reader),
            why=why,
            until=until,
        )
    if until is None:
        return ""
    return say("%(name)s has time until %(until)s.", name=name, until=until)


def _time_is_up(clock: ClockShown, people: People, reader: Reader, mine: bool) -> str:
    """Return sentences that the time of the player to move is up, and about what comes next."""
    say, up = people.language.say, _up(clock, people, mine)
    if clock.next_step is None:
        waits = say("The game waits for you.") if mine else say("The game waits.")
        return f"{up} {waits}"
    sentences = [up]
    if clock.stage == "grace":
        sentences.append(say("This is the grace period, which comes only once in a game."))
    if clock.stands_still_because is not None:
        why = _standstill(clock, people.language)
        sentences.append(say("The clock stands still for now (%(why)s).", why=why))
    return " ".join([*sentences, coming_step(clock, people, reader.zone)])


def _step_waits(clock: ClockShown, people: People, reader: Reader, mine: bool) -> str:
    """Return sentences that the time is up, and when the step comes that a pause holds back."""
    up = _up(clock, people, mine)
    if clock.stands_still_because != "paused":
        return up
    waits = people.language.say("The next step comes at the end of the pause: %(at)s.", at=_by(clock, reader))
    return f"{up} {waits}"


def _up(clock: ClockShown, people: People, mine: bool) -> str:
    if mine:
        return people.language.say("Your time is up.")
    return people.language.say("The time of %(name)s is up.", name=people.called(clock.seat))


def _bot_plays(seat: int, people: People) -> str:
    if seat == people.reader:
        return people.language.say("A bot plays for you.")
    return people.language.say("A bot plays for %(name)s.", name=people.called(seat))


def _own_step(step: str, by: str, language: Language) -> str:
    match step:
        case "nudge":
            return language.say("You have time until %(until)s.", until=by)
        case "grace":
            return language.say("If you have not moved by %(by)s, a last grace period begins.", by=by)
        case "autopilot":
            return language.say("If you have not moved by %(by)s, a bot takes over your seat.", by=by)
        case _:
            return language.say("If you have not moved by %(by)s, you are out of the game.", by=by)


def _by(clock: ClockShown, reader: Reader) -> str:
    if clock.next_at is None:
        return reader.language.say("the end of the standstill")
    return instant(clock.next_at, clock.at, reader)
