"""Write commands as text, in words that every language understands."""

from __future__ import annotations

from engine.clock.durations import render
from service.reading.commands import Command, Join, New, Note, Pick, Say, Speak, WrittenClock
from service.reading.language_detection import SHOWN
from service.store.mail_outcome import short


def as_text(command: Command) -> str:
    """Return one line that gives the command: `2 F`, `tile 17 at 1,-2`, `say hello`. Long lines are cut."""
    match command:
        case Pick():
            return _pick(command)
        case Say(text):
            return short(f"say {text}")
        case Note(text):
            return short(f"note {text}")
        case Join(code):
            return short(f"join {code}")
        case New(seats, addresses, clock):
            words = [f"new {seats}" if seats else "new", *addresses]
            told = ", ".join(words) if seats else " ".join(words)
            return short(told if clock is None else f"{told}, {_clock(clock)}")
        case Speak(language):
            return SHOWN[language]
        case _:
            return type(command).__name__.lower()


def _clock(clock: WrittenClock) -> str:
    if clock.per_wait is not None:
        return f"{render(clock.per_wait)} a move"
    if clock.bank is None:
        return "no clock"
    most = "" if clock.cap is None else f", at most {render(clock.cap)}"
    return f"bank {render(clock.bank)} plus {render(clock.increment)}{most}"


def _pick(pick: Pick) -> str:
    where = pick.cell if pick.at is None else f"{pick.at[0]},{pick.at[1]}"
    if pick.choice is not None:
        return f"{pick.choice} {where}" if pick.at is None else f"{pick.choice} at {where}"
    return f"tile {pick.tile} at {where}"
