"""Read the clock's and the host's marks of a record into the values of `engine.clock.marks`, and check their form.

A mark is accepted only as the service writes it: with the shortest form of a duration, and no other fields.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Literal

from engine.clock import durations
from engine.clock.errors import ClockError
from engine.clock.marks import (
    LONGEST_REASON,
    PARTS,
    AbandonWarning,
    Autopilot,
    Back,
    ClockMark,
    ClockStart,
    HostEnd,
    HostMore,
    HostOut,
    HostPause,
    HostResume,
    Keep,
    LadderStep,
    More,
    Outage,
)
from engine.clock.terms import BOUNDS, LEAST_OUTAGE, NoClock, Terms
from engine.moves import Mark
from engine.phrases import named
from engine.record import moment


class EntryError(Exception):
    """An entry of the log is not what the clock requires; the text says why."""


def is_reserved(kind: str) -> bool:
    """Return whether a kind is reserved for the marks of CLOCKS.md 12, which clocks and the host make."""
    return kind == "clock" or kind.startswith(("clock.", "host."))


def read(mark: Mark) -> ClockMark | None:
    """Return the meaning of a mark; None if its kind is not one of the clock's or the host's.

    Raises:
        EntryError: the kind is reserved, but there is no such mark, or its form is wrong.
    """
    if not is_reserved(mark.kind):
        return None
    form = _FORMS.get(mark.kind)
    if form is None:
        raise EntryError(f"there is no mark {mark.kind}")
    return form(mark.kind, mark.data)


def _start(kind: str, data: Any) -> ClockMark:
    try:
        terms = Terms.from_json(data)
    except ClockError as error:
        where = f" ({error.field})" if error.field else ""
        raise EntryError(f"the settings of the clock are wrong{where}: {error.detail}") from None
    if terms.to_json() != data:
        raise EntryError("the settings of the clock are not written as the service writes them")
    if isinstance(terms.clock, NoClock):
        raise EntryError("a game without a clock has no mark clock")
    return ClockStart(terms)


def _step(kind: str, data: Any) -> ClockMark:
    _fields(kind, data, "wait", "for", "next")
    name: Literal["nudge", "grace"] = "nudge" if kind == "clock.nudge" else "grace"
    next_ = data["next"]
    allowed = ("grace", "autopilot", "out", None) if name == "nudge" else ("autopilot", "out", None)
    _hold(
        next_ is None or (isinstance(next_, str) and next_ in allowed),
        f"next of a {kind} is not {named(next_)}",
    )
    return LadderStep(name, _wait(kind, data), _duration(kind, data), next_)


def _autopilot(kind: str, data: Any) -> ClockMark:
    _fields(kind, data, "wait")
    return Autopilot(_wait(kind, data))


def _back(kind: str, data: Any) -> ClockMark:
    _hold(data is None, f"a {kind} has no data")
    return Back()


def _keep(kind: str, data: Any) -> ClockMark:
    _hold(data is None, f"a {kind} has no data")
    return Keep()


def _more(kind: str, data: Any) -> ClockMark:
    by_host = isinstance(data, dict) and "reason" in data
    _fields(kind, data, "wait", "for", *(("seat", "reason") if by_host else ("given_by",)))
    wait, lasts = _wait(kind, data), _duration(kind, data)
    least, most = BOUNDS["more"]
    _hold(least <= lasts <= most, f"a {kind} gives {durations.render(least)} to {durations.render(most)}")
    if by_host:
        return HostMore(wait, _seat(kind, data), lasts, _reason(kind, data))
    given_by = data["given_by"]
    _hold(
        isinstance(given_by, list)
        and all(type(seat) is int for seat in given_by)
        and 0 < len(set(given_by)) == len(given_by),
        f"given_by of a {kind} has one or more seats, each once",
    )
    return More(wait, lasts, tuple(given_by))


def _outage(kind: str, data: Any) -> ClockMark:
    _fields(kind, data, "wait", "from", "to", "what")
    begins, ends, parts = _time(kind, data, "from"), _time(kind, data, "to"), data["what"]
    _hold(
        isinstance(parts, list)
        and all(isinstance(part, str) and part in PARTS for part in parts)
        and 0 < len(set(parts)) == len(parts),
        f"what of a {kind} has one or more of {', '.join(PARTS)}, each once",
    )
    _hold(ends - begins > LEAST_OUTAGE, "an outage has more than 15 minutes")
    return Outage(_wait(kind, data), begins, ends, tuple(parts))


def _warning(kind: str, data: Any) -> ClockMark:
    _fields(kind, data, "wait", "not_before")
    return AbandonWarning(_wait(kind, data), _time(kind, data, "not_before"))


def _pause(kind: str, data: Any) -> ClockMark:
    _fields(kind, data, "until", "reason")
    return HostPause(_time(kind, data, "until"), _reason(kind, data))


def _resume(kind: str, data: Any) -> ClockMark:
    _fields(kind, data, "reason")
    return HostResume(_reason(kind, data))


def _host_out(kind: str, data: Any) -> ClockMark:
    _fields(kind, data, "seat", "reason")
    return HostOut(_seat(kind, data), _reason(kind, data))


def _host_end(kind: str, data: Any) -> ClockMark:
    _fields(kind, data, "reason")
    return HostEnd(_reason(kind, data))


_FORMS: dict[str, Callable[[str, Any], ClockMark]] = {
    "clock": _start,
    "clock.nudge": _step,
    "clock.grace": _step,
    "clock.autopilot": _autopilot,
    "clock.back": _back,
    "clock.keep": _keep,
    "clock.more": _more,
    "clock.outage": _outage,
    "clock.warning": _warning,
    "clock.pause": _pause,
    "clock.resume": _resume,
    "host.out": _host_out,
    "host.end": _host_end,
}

KINDS = tuple(_FORMS)
"""The kinds of marks that clocks and the host make."""


def _hold(fact: bool, why: str) -> None:
    if not fact:
        raise EntryError(why)


def _fields(kind: str, data: Any, *names: str) -> None:
    _hold(isinstance(data, dict), f"the data of a {kind} is an object")
    for name in names:
        _hold(name in data, f"the data of a {kind} lacks {name}")
    for name in data:
        _hold(name in names, f"the data of a {kind} has an unknown field {name!r:.60}")


def _wait(kind: str, data: Any) -> int:
    wait = data["wait"]
    _hold(type(wait) is int and wait >= 0, f"wait of a {kind} is the number of a stretch")
    return int(wait)


def _seat(kind: str, data: Any) -> int:
    seat = data["seat"]
    _hold(type(seat) is int and seat >= 0, f"seat of a {kind} is the number of a seat")
    return int(seat)


def _reason(kind: str, data: Any) -> str:
    reason = data["reason"]
    _hold(
        isinstance(reason, str) and 1 <= len(reason) <= LONGEST_REASON,
        f"the reason of a {kind} has 1 to {LONGEST_REASON} characters",
    )
    return str(reason)


def _duration(kind: str, data: Any) -> timedelta:
    text = data["for"]
    try:
        lasts = durations.parse(text if isinstance(text, str) else "")
    except ClockError:
        raise EntryError(f"for of a {kind} is a duration as P1DT12H") from None
    _hold(durations.render(lasts) == text, f"for of a {kind} is a duration in its shortest form")
    return lasts


def _time(kind: str, data: Any, name: str) -> datetime:
    text = data[name]
    try:
        return moment(text if isinstance(text, str) else "")
    except ValueError:
        raise EntryError(f"{name} of a {kind} is a time as 2026-11-27T20:56:00.123Z") from None
