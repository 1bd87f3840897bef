"""The marks of a clock and of the host, as frozen values (docs/CLOCKS.md 12).

`write` and `engine.clock.mark_forms.read` are inverse. Who may make a mark, and when, is verified by
`engine.clock.audit`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from engine.clock import durations
from engine.clock.terms import Terms
from engine.moves import Mark
from engine.record import stamp

Next = Literal["grace", "autopilot", "out"]
"""The name of the step that follows a step."""

PARTS = ("worker", "web", "mailin", "relay", "database")
"""The parts of the service that can fail (8.1)."""

LONGEST_REASON = 200
"""The length limit, in characters, of a reason that the host gives (7.3)."""


@dataclass(frozen=True, slots=True)
class ClockStart:
    """The settings of the table, in entry 1 of a game with a clock."""

    terms: Terms


@dataclass(frozen=True, slots=True)
class LadderStep:
    """A step of the ladder, which lasts `lasts` and names the next one; None if none follows."""

    name: Literal["nudge", "grace"]
    wait: int
    lasts: timedelta
    next: Next | None


@dataclass(frozen=True, slots=True)
class Autopilot:
    """The step that hands the seat to the bot."""

    wait: int


@dataclass(frozen=True, slots=True)
class Back:
    """The mark of a player who takes the seat back from the bot."""


@dataclass(frozen=True, slots=True)
class Keep:
    """The mark of a player who keeps the game from being abandoned."""


@dataclass(frozen=True, slots=True)
class More:
    """The time that the other players gave to the seat to move."""

    wait: int
    lasts: timedelta
    given_by: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class HostMore:
    """The time that the host gave to a seat."""

    wait: int
    seat: int
    lasts: timedelta
    reason: str


@dataclass(frozen=True, slots=True)
class Outage:
    """The time for which parts of the service failed, which is given back."""

    wait: int
    begins: datetime
    ends: datetime
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AbandonWarning:
    """The warning that the game will end as abandoned, not before a given instant."""

    wait: int
    not_before: datetime


@dataclass(frozen=True, slots=True)
class HostPause:
    """A pause by the host, which ends at a given instant at the latest."""

    until: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class HostResume:
    """The end of a pause by the host."""

    reason: str


@dataclass(frozen=True, slots=True)
class HostOut:
    """The host's decision to put out a seat, whose time-out is the next entry."""

    seat: int
    reason: str


@dataclass(frozen=True, slots=True)
class HostEnd:
    """The host's decision to end the game, whose end is the next entry."""

    reason: str


ClockMark = (
    ClockStart
    | LadderStep
    | Autopilot
    | Back
    | Keep
    | More
    | HostMore
    | Outage
    | AbandonWarning
    | HostPause
    | HostResume
    | HostOut
    | HostEnd
)

BY_HOST = (HostMore, HostPause, HostResume, HostOut, HostEnd)
"""The marks that only the host makes; the others carry no `by`."""


def write(value: ClockMark) -> Mark:
    """Return the mark for a value."""
    match value:
        case ClockStart(terms):
            return Mark("clock", terms.to_json())
        case LadderStep(name, wait, lasts, next_):
            return Mark(f"clock.{name}", {"wait": wait, "for": durations.render(lasts), "next": next_})
        case Autopilot(wait):
            return Mark("clock.autopilot", {"wait": wait})
        case Back():
            return Mark("clock.back")
        case Keep():
            return Mark("clock.keep")
        case More(wait, lasts, given_by):
            return Mark("clock.more", {"wait": wait, "for": durations.render(lasts), "given_by": list(given_by)})
        case HostMore(wait, seat, lasts, reason):
            data = {"wait": wait, "seat": seat, "for": durations.render(lasts), "reason": reason}
            return Mark("clock.more", data)
        case Outage(wait, begins, ends, parts):
            data = {"wait": wait, "from": stamp(begins), "to": stamp(ends), "what": list(parts)}
            return Mark("clock.outage", data)
        case AbandonWarning(wait, not_before):
            return Mark("clock.warning", {"wait": wait, "not_before": stamp(not_before)})
        case HostPause(until, reason):
            return Mark("clock.pause", {"until": stamp(until), "reason": reason})
        case HostResume(reason):
            return Mark("clock.resume", {"reason": reason})
        case HostOut(seat, reason):
            return Mark("host.out", {"seat": seat, "reason": reason})
        case HostEnd(reason):
            return Mark("host.end", {"reason": reason})
