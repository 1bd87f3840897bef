"""Write commands as text, in words that every language understands."""

from __future__ import annotations

from engine.clock.durations import render
from service.reading.commands import (
    AccountSettings,
    Away,
    Block,
    Command,
    Join,
    MoreTime,
    New,
    Note,
    Pick,
    Quiet,
    QuietWindow,
    Reminders,
    Say,
    Speak,
    Unblock,
    Unclear,
)
from service.reading.language_detection import SHOWN
from service.reading.written_days import WrittenDay
from service.reading.written_terms import WrittenClock, WrittenLadder
from service.store.mail_outcome import short

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def as_text(command: Command) -> str:
    """Return one line that gives the command: `2 F`, `tile 17 at 1,-2`, `say hello`. Long lines are cut."""
    match command:
        case Pick():
            return _pick(command)
        case Say(text):
            return short(f"say {text}")
        case Note(text):
            return short(f"note {text}")
        case Block(player):
            return short(f"block {player}")
        case Unblock(player):
            return short(f"unblock {player}")
        case Join(code):
            return short(f"join {code}")
        case New():
            return short(_new(command))
        case Away() | Quiet() | MoreTime() | Reminders():
            return short(_of_time(command))
        case Unclear(raw):
            return short(raw)
        case AccountSettings():
            return "settings"
        case Speak(language):
            return SHOWN[language]
        case _:
            return type(command).__name__.lower()


def _new(command: New) -> str:
    parts = [f"new {command.seats}" if command.seats else "new"]
    if command.bots:
        parts.append(f"{command.bots} {'bot' if command.bots == 1 else 'bots'}")
    if command.clock is not None:
        parts.append(_clock(command.clock))
    if command.ladder is not None:
        parts += _ladder(command.ladder)
    return ", ".join((*parts, *command.addresses))  # what a long line loses is an address


def _of_time(command: Away | Quiet | MoreTime | Reminders) -> str:
    match command:
        case Away(None, WrittenDay() as last):
            return f"away until {_day(last)}"
        case Away(WrittenDay() as first, WrittenDay() as last):
            return f"away {_day(first)}" if first == last else f"away {_day(first)} to {_day(last)}"
        case Away(_, _, days):
            return f"away for P{days}D"
        case Quiet(windows):
            return f"quiet {', '.join(map(_window, windows)) or 'off'}"
        case MoreTime(time):
            return f"more time {'off' if time is None else render(time)}"
        case Reminders(None, how):
            return f"reminders {'on' if how == 'at_once' else how}"
        case Reminders(points):
            return f"reminders {', '.join('half' if point == 'half' else render(point) for point in points or ())}"


def _day(day: WrittenDay) -> str:
    if day.ahead is not None:
        return ("today", "tomorrow", "the day after tomorrow")[day.ahead]
    if day.day is None and day.weekday is not None:
        return _WEEKDAYS[day.weekday]
    if day.month is None:
        return f"{day.day}."
    return f"{day.day}.{day.month}.{day.year or ''}"


def _window(window: QuietWindow) -> str:
    days = "" if len(window.days) == len(_WEEKDAYS) else " ".join(_WEEKDAYS[day] for day in sorted(window.days)) + " "
    return f"{days}{window.begin:%H:%M} to {window.end:%H:%M}"


def _clock(clock: WrittenClock) -> str:
    if clock.per_wait is not None:
        return f"{render(clock.per_wait)} a move"
    if clock.bank is None:
        return "no clock"
    most = "" if clock.cap is None else f", at most {render(clock.cap)}"
    return f"bank {render(clock.bank)} plus {render(clock.increment)}{most}"


def _ladder(ladder: WrittenLadder) -> list[str]:
    parts = [] if ladder.nudge is None else [f"nudge {render(ladder.nudge)}"]
    if ladder.grace is not None:
        parts.append(f"grace {render(ladder.grace)}" if ladder.grace else "no grace")
    if ladder.then is not None:
        parts.append(f"then {ladder.then}")
    return [*parts, *([] if ladder.quiet else ["no quiet times"]), *([] if ladder.absences else ["no absences"])]


def _pick(pick: Pick) -> str:
    where = pick.cell if pick.at is None else f"{pick.at[0]},{pick.at[1]}"
    if pick.choice is not None:
        return f"{pick.choice} {where}" if pick.at is None else f"{pick.choice} at {where}"
    return f"tile {pick.tile} at {where}"
