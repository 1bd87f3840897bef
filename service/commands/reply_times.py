"""Carry out the lines of a mail about time: absences, quiet times, clocks and reminders.

Absences, quiet times and reminders belong to the account, whatever game the mail is about; the others need a game.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.orm import Session

from engine.clock import durations
from engine.clock.errors import ClockError
from engine.clock.terms import bounded
from engine.phrases import Phrase
from engine.record import stamp
from service.clocks.absences import Period, days, earliest
from service.clocks.zones import zone as zone_of
from service.commands import absences, keep, more_time, notifications, quiet_times, reminding
from service.commands.command_text import as_text
from service.errors import Refusal
from service.queries.table import load
from service.reading.commands import (
    Away,
    Back,
    Keep,
    MoreTime,
    OfTime,
    Quiet,
    QuietWindow,
    Reminders,
    Say,
    Unclear,
)
from service.reading.written_days import both_days, last_day
from service.store.accounts import Account
from service.store.mail_outcome import (
    AWAY,
    BACK,
    EXAMPLE,
    KEPT,
    MORE_TIME,
    QUIET,
    REFUSED,
    REMINDERS,
    UNCLEAR,
    Line,
    refused,
    short,
)

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_LACKING = {
    "day": (Phrase("Say until which day you are away; that day is included."), ("away until 5.12.",)),
    "time": (Phrase("Say how much time you give."), ("more time P2D",)),
    "hours": (Phrase("Say from when to when it is quiet, in whole quarters of an hour."), ("quiet 22:00 to 07:00",)),
    "clock": (
        Phrase("Say once how much time there is for a move, in whole days, hours or minutes."),
        ("new 2 players, 3 days a move",),
    ),
    "nudge": (
        Phrase("There is always a nudge, of an hour at least."),
        ("new 2 players, 3 days a move, nudge 1 hour",),
    ),
    "points": (
        Phrase("Say how long before the end you want to be reminded."),
        ("reminders P1D, PT3H", "reminders off"),
    ),
}
"""What each kind of line may lack, in words, and examples of what can be written."""

NO_GAME = (
    "no_game",
    Phrase(
        "It is not clear which game this is about: your mail did not come to the address at which a mail about a game "
        "is answered."
    ),
)
_NO_CLOCK = ("no_clock", Phrase("This game has no clock."))
_ASK_OTHERS = Phrase("Your time is given by the others, once all of them offer some. Ask them for it.")
_NO_DAY = ("no_such_day", Phrase("There is no such day."))
_OVERLAP = Phrase(
    "It overlaps another absence of yours. To change that one, write “back” first, and this again on the line below."
)
_NOT_AWAY = ("not_away", Phrase("You are not away, and no bot plays for you."))


def carry_out(session: Session, account: str, at: tuple[str, int] | None, command: OfTime, now: datetime) -> Line:
    """Carry out a line about time, and return the result.

    Args:
        session: the transaction.
        account: the account that sent the mail.
        at: the game's id and the account's seat in it; None if the mail is about no game.
        command: the command of the line.
        now: the time of the transaction.
    """
    written = as_text(command)
    try:
        match command:
            case Unclear(_, "own"):
                return _own_time(session, at, command)
            case Unclear():
                return unclear(command)
            case Away():
                return _away(session, account, command, written, now)
            case Back():
                return _back(session, account, written, now)
            case Quiet(windows):
                changed = quiet_times.change(session, account, None, [_window(each) for each in windows], now)
                told = {"zone": changed.zone} if windows else {}
                return Line(written, QUIET, facts=_facts(games=changed.not_yet_in, **told))
            case Reminders():
                return _reminders(session, account, command, written, now)
            case MoreTime() | Keep():
                return _at_table(session, at, command, written, now)
    except (Refusal, ClockError) as refusal:
        return refused(written, refusal)


def _own_time(session: Session, at: tuple[str, int] | None, command: Unclear) -> Line:
    """Return the line that tells a player how to ask the others for time, or why that is impossible here."""
    table = None if at is None else load(session, at[0])
    if table is None or table.terms is None:
        code, why = NO_GAME if table is None else _NO_CLOCK
        return Line(short(command.raw), REFUSED, code=code, why=why)
    return Line(short(command.raw), UNCLEAR, code=EXAMPLE, why=_ASK_OTHERS, readings=(as_text(Say(command.raw)),))


def unclear(command: Unclear) -> Line:
    """Return the result of a line about time that lacks something, with what it lacks and examples."""
    if command.lacks == "readings":
        return Line(short(command.raw), UNCLEAR, readings=tuple(map(as_text, command.readings)))
    why, examples = _LACKING[command.lacks]
    return Line(short(command.raw), UNCLEAR, code=EXAMPLE, why=why, readings=examples)


def _away(session: Session, account: str, command: Away, written: str, now: datetime) -> Line:
    zone = session.get_one(Account, account).zone
    today = now.astimezone(zone_of(zone)).date()
    if command.last is None:
        asked = Period(None, earliest(now) + timedelta(days=command.days or 0))
    else:
        both = None if command.first is None else both_days(command.first, command.last, today)
        found = last_day(command.last, today) if command.first is None else both and both[1]
        if found is None:
            return Line(short(written), REFUSED, code=_NO_DAY[0], why=_NO_DAY[1])
        asked = days(both[0] if both else None, found, zone, now)
    try:
        announced = absences.announce(session, account, asked, now, may_prolong=True)
    except Refusal as refusal:
        if refusal.code != "overlap":
            raise
        return Line(short(written), REFUSED, code=refusal.code, why=_OVERLAP)
    told = _facts(games=announced.games, begins=stamp(announced.since), ends=stamp(announced.absence.ends))
    return Line(written, AWAY, facts=told | ({"moved": "yes"} if announced.moved else {}))


def _back(session: Session, account: str, written: str, now: datetime) -> Line:
    returned = absences.back(session, account, now)
    if not returned.ended and not returned.games:
        return Line(written, REFUSED, code=_NOT_AWAY[0], why=_NOT_AWAY[1])
    told = _facts(games=returned.games) | ({"ended": "yes"} if returned.ended else {})
    return Line(written, BACK, facts=told)


def _reminders(session: Session, account: str, command: Reminders, written: str, now: datetime) -> Line:
    if command.points is not None:
        points = ["half" if point == "half" else _length(point) for point in command.points]
        reminding.choose(session, account, points, now)
    notifications.change(session, account, {"reminder": command.how}, now)
    return Line(written, REMINDERS, facts={"how": command.how})


def _at_table(
    session: Session, at: tuple[str, int] | None, command: MoreTime | Keep, written: str, now: datetime
) -> Line:
    table = None if at is None else load(session, at[0])
    if at is None or table is None:
        return Line(written, REFUSED, code=NO_GAME[0], why=NO_GAME[1])
    if isinstance(command, Keep):
        keep.keep(session, table, at[1], now)
        return Line(written, KEPT)
    before = table.version
    after = more_time.say(session, table, at[1], command.time, now)
    if command.time is None:
        return Line(written, MORE_TIME, facts={"word": "off"})
    return Line(written, MORE_TIME, facts={"word": "given" if after.version > before else "said"})


def _length(point: timedelta) -> str:
    """Return the duration of a point in its shortest spelling; raise a ClockError if it is out of bounds (5.1)."""
    return durations.render(bounded("more", durations.render(point)))


def _window(window: QuietWindow) -> dict[str, Any]:
    return {
        "days": [_DAYS[day] for day in sorted(window.days)],
        "from": f"{window.begin:%H:%M}",
        "to": f"{window.end:%H:%M}",
    }


def _facts(games: Iterable[str], **times: str) -> dict[str, str]:
    """Return the facts of a result, with the ids of the games that the answer names."""
    return {**times, "games": " ".join(games)}
