"""The common parts of the tampered games: their form, settings, and ways into a stage of the ladder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from engine.clock.terms import Terms
from tests.clock_records.timed_game import BOT, TimedGame, bank, per_wait

Script = Callable[[TimedGame], object]


class Tampered(NamedTuple):
    """A game to be tampered: its settings, its seats, what is done, and the reason for which an audit refuses it.

    Attributes:
        entry: the wrong entry; None: the last one.
    """

    name: str
    why: str
    script: Script
    terms: Terms | None = None
    seats: int = 2
    entry: int | None = None


DAY = per_wait("P1D", "PT6H", "PT12H", "out")
NO_GRACE = per_wait("P1D", "PT6H", None, "out")
BOTS = per_wait("P1D", "PT6H", None, "autopilot")
WAITS = per_wait("P1D", "PT6H", None, "wait")
BANK = bank("P5D P1D P7D", then="out")
SETTINGS_JSON = DAY.to_json()


def nudge(game: TimedGame) -> TimedGame:
    """Nudge in time, in a game without grace."""
    assert game.entries
    then = game.entries[0]["move"]["data"]["ladder"]["then"]
    return game.after("P1D").nudge("PT6H", None if then == "wait" else then)


def grace(game: TimedGame) -> TimedGame:
    return game.after("P1D").nudge("PT6H", "grace").after("PT6H").grace("PT12H", "out")


def autopilot(game: TimedGame) -> TimedGame:
    return nudge(game).after("PT6H").autopilot()


def by_host(kind: str, data: Any) -> Script:
    return lambda game: game.after("PT2H").raw(kind, data, by="host")


def bot_and_person(game: TimedGame) -> int:
    """Let a bot and two persons move, until a person is to move; return the bot's seat."""
    bot = next(seat for seat in range(3) if seat != game.turn)
    while game.turn == bot or game.seq < 8:
        game.after("PT20M").play(BOT if game.turn == bot else None)
    return bot
