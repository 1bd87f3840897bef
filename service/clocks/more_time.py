"""Keep the players' offers of time to the seat to move, until all have made one (CLOCKS.md 7.5)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from engine.clock.durations import render
from engine.clock.errors import ClockError
from engine.clock.terms import BOUNDS, MOST_GIVEN
from engine.phrases import phrase
from service.clocks.game_clock import GameClock, Word


def with_word(clock: GameClock, seat: int, duration: timedelta | None, at: datetime) -> GameClock:
    """Return the clock after a player's offer of time, which replaces an earlier one of theirs.

    Args:
        clock: the clock.
        seat: the seat that offers.
        duration: the time; None withdraws the offer.
        at: the time of the offer.

    Raises:
        ClockError: it is not allowed; code `game_over`, `no_clock`, `not_yours_to_give`, `bounds` or `too_much`.
    """
    stretch = clock.stretch
    if stretch is None:
        raise ClockError("game_over", "The game is over; no time is needed any more.")
    if clock.terms is None:
        raise ClockError("no_clock", "This game has no clock.")
    if seat in clock.left_seats:
        raise ClockError("not_yours_to_give", "You have left this game, so you cannot give time in it.")
    if seat in clock.autopilot:
        raise ClockError("not_yours_to_give", "A bot plays for you; take your seat back first, then you can give time.")
    if clock.runs() is None:
        raise ClockError("not_yours_to_give", "A bot is to move; it needs no time.")
    if seat == stretch.seat or seat not in clock.persons():
        raise ClockError("not_yours_to_give", "Time is given by the other players, not by who is to move.")
    words = tuple(word for word in clock.words if word.seat != seat)
    if duration is None:
        return replace(clock, words=words)
    least, most = BOUNDS["more"]
    if not least <= duration <= most:
        bounds = phrase("The least here is %(least)s, the most %(most)s.", least=render(least), most=render(most))
        raise ClockError("bounds", bounds, "duration")
    if stretch.by_table + duration > MOST_GIVEN:
        why = phrase("In one wait at most %(most)s can be given, all together.", most=render(MOST_GIVEN))
        raise ClockError("too_much", why, "duration")
    return replace(clock, words=tuple(sorted((*words, Word(seat, duration, at)))))


def given(clock: GameClock) -> timedelta | None:
    """Return the time that is given now: the least offer, once every other person has made one; else None."""
    stretch = clock.runs()
    if stretch is None or not clock.words:
        return None
    others = {seat for seat in clock.persons() if seat != stretch.seat}
    words = [word for word in clock.words if word.seat in others]
    return min(word.duration for word in words) if words and len(words) == len(others) else None
