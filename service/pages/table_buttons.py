"""The buttons of a table's page for its players: take a seat back, offer time, keep the game (CLOCKS.md 6.6, 7.5, 9.2).

They need a browser that is signed in: a link that a player was mailed shows them, and presses none.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from engine.clock.durations import parse
from engine.phrases import Phrase
from service.commands import autopilot, keep, more_time
from service.language.durations import duration
from service.language.people import People
from service.queries import legal
from service.queries.table import LoadedTable

BACK, KEEP = "back", "keep"
OFFERS = ("P1D", "P3D", "P7D")
"""The times that a player can offer by a button."""

_TAKE_BACK, _KEEP_GAME = Phrase("Take my seat back"), Phrase("Keep this game")
_MARK, _WARNING, _KEPT = "mark ", "mark clock.warning ", "mark clock.keep"


@dataclass(frozen=True, slots=True)
class Button:
    """A button: the value that it sends, and its text."""

    do: str
    text: str


def buttons(table: LoadedTable, seat: int | None, people: People) -> tuple[Button, ...]:
    """Return the buttons that fit the table as it is, for the player at a seat; others have none."""
    if seat is None or table.status != "running" or legal.has_left(table.state, seat):
        return ()
    say = people.language.say
    found = [Button(BACK, say(_TAKE_BACK))] if autopilot.plays(table, seat) else []
    found += [Button(KEEP, say(_KEEP_GAME))] if _is_warned(table) else []
    stretch = None if table.clock is None else table.clock.runs()
    if table.clock is not None and stretch is not None and stretch.seat != seat and table.clock.is_person(seat):
        name = people.called(stretch.seat)
        for offer in OFFERS:
            time = duration(parse(offer), people.language)
            found.append(Button(offer, say("Give %(name)s %(time)s more", name=name, time=time)))
    return tuple(found)


def offers(table: LoadedTable, seat: int | None, people: People) -> str:
    """Return a sentence about the time that players have offered so far, for the table only; empty if there is none."""
    words = () if seat is None or table.clock is None else table.clock.words
    if not words:
        return ""
    made = [f"{people.called(word.seat)} ({duration(word.duration, people.language)})" for word in words]
    return people.language.say(
        "Time is given once everybody else has offered some. Offered so far: %(offers)s.",
        offers=people.language.listed(made),
    )


def press(session: Session, table: LoadedTable, seat: int, do: str, now: datetime) -> None:
    """Do what a button says; any other value changes nothing.

    Raises:
        Refusal: it cannot be done any more.
    """
    if do == BACK:
        autopilot.back(session, table, seat, now)
    elif do == KEEP:
        keep.keep(session, table, seat, now)
    elif do in OFFERS:
        more_time.say(session, table, seat, parse(do), now)


def _is_warned(table: LoadedTable) -> bool:
    """Return whether the game was warned that it ends as abandoned, and nobody has gone on with it since."""
    for entry in reversed(table.entries):
        if entry.move.startswith(_WARNING):
            return True
        if not entry.by and (entry.move == _KEPT or not entry.move.startswith(_MARK)):
            return False
    return False
