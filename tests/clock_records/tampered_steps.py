"""Tampered games: the steps of the ladder, and the moves of bots."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from engine.clock import marks
from engine.clock.marks import LadderStep
from tests.clock_records.tampering import (
    BANK,
    BOTS,
    DAY,
    NO_GRACE,
    WAITS,
    Script,
    Tampered,
    autopilot,
    bot_and_person,
    grace,
    nudge,
)
from tests.clock_records.timed_game import BOT, TimedGame


def _nudged(**changes: Any) -> Script:
    """Let a day pass and nudge, with data of which something is different."""
    data = {"wait": 0, "for": "PT6H", "next": "grace"} | changes
    return lambda game: game.after("P1D").raw("clock.nudge", {name: data[name] for name in data if data[name] != "-"})


def _two_banks(early: int) -> Script:
    """Nudge a number of milliseconds before the least of a bank that two stretches have charged and credited."""

    def script(game: TimedGame) -> object:
        first = game.turn
        game.after("P4D").pass_turn().after("PT1H").pass_turn()
        assert game.turn == first and game.seq == 3
        return game.after("P2D", -early).nudge("P1D", "out")  # 5 - 4 + 1 days

    return script


def _bot_waited_for(game: TimedGame) -> object:
    bot = bot_and_person(game)
    while game.turn != bot:
        game.after("PT20M").play()
    return game.after("P1D").nudge("PT6H", "out")


def _bot_in_a_persons_place(game: TimedGame) -> object:
    first = game.turn
    game.after("PT1H").play().after("PT1H").reach(first)
    game.after("PT1H").play(BOT)
    return game


def _bot_before_a_persons_move(game: TimedGame) -> object:
    first = game.turn
    game.after("PT1H").pass_turn(BOT).reach(first)
    return game.after("PT1H").play()


def _bot_after_back(game: TimedGame) -> object:
    return autopilot(game).after("PT1H").mark(marks.Back()).after("PT0M", 500).play(BOT)


def _bot_after_an_own_move(game: TimedGame) -> object:
    first = game.turn
    autopilot(game).after("PT1H").pass_turn().reach(first)
    return game.play(BOT)


def _nudge_after_two_autopilots(game: TimedGame) -> object:
    return autopilot(game).after("P2D").nudge("PT6H", "autopilot")


def _early_after_back(game: TimedGame) -> object:
    return autopilot(game).after("PT1H").mark(marks.Back()).after("PT23H").nudge("PT6H", "autopilot")


def _second_grace(game: TimedGame) -> object:
    first = game.turn
    grace(game).after("PT1H").pass_turn().reach(first)
    assert game.wait == game.seq
    return game.after("P1D").nudge("PT6H", "grace")


def _timeout_of_the_other(game: TimedGame) -> object:
    return nudge(game).after("PT6H").timeout(1 - game.turn)


def _timeout_in_the_next_stretch(game: TimedGame) -> object:
    nudge(game).after("PT1H").pass_turn()
    return game.after("PT6H").timeout()


def _paused_timeout(game: TimedGame) -> object:
    return nudge(game).after("PT1H").pause("P2D").after("P1D").timeout()


def _move_after_the_last_person(game: TimedGame) -> object:
    autopilot(game).after("PT0M", 500).pass_turn(BOT)
    autopilot(game).after("PT0M", 500)
    return game.play(BOT)


def _first_step(game: TimedGame, name: Any) -> object:
    return game.after("P30D").mark(LadderStep(name, game.wait, timedelta(hours=12), "out"))


STEPS: tuple[Tampered, ...] = (
    # the nudge
    Tampered("nudge-early", "the nudge is early", lambda game: game.after("P1D", -1).nudge("PT6H", "grace"), DAY),
    Tampered("nudge-early-bank", "the nudge is early", _two_banks(1), BANK),
    Tampered("nudge-early-after-back", "the nudge is early", _early_after_back, BOTS),
    Tampered(
        "nudge-early-after-more",
        "the nudge is early",
        lambda game: game.after("PT12H").more("P1D", 1 - game.turn).after("PT35H").nudge("PT6H", "grace"),
        DAY,
    ),
    Tampered(
        "nudge-early-next-stretch",
        "the nudge is early",
        lambda game: game.after("PT12H").pass_turn().after("PT12H").nudge("PT6H", "grace"),
        DAY,
    ),
    Tampered("nudge-twice", "up already", lambda game: nudge(game).after("P1D").nudge("PT6H", "out"), NO_GRACE),
    Tampered("nudge-wait", "but the stretch is number 0", _nudged(wait=1), DAY),
    Tampered("nudge-wait-form", "is the number of a stretch", _nudged(wait="0"), DAY),
    Tampered("nudge-wait-truth", "is the number of a stretch", _nudged(wait=False), DAY),
    Tampered("nudge-for", "for of the nudge is not the ladder's", _nudged(**{"for": "PT7H"}), DAY),
    Tampered("nudge-for-spelling", "in its shortest form", _nudged(**{"for": "PT0H360M"}), DAY),
    Tampered("nudge-for-form", "for of a clock.nudge is a duration", _nudged(**{"for": 6}), DAY),
    Tampered("nudge-next", "next of the nudge is out, but the ladder has grace", _nudged(next="out"), DAY),
    Tampered("nudge-next-none", "next of the nudge is None", _nudged(next=None), DAY),
    Tampered("nudge-next-unknown", "next of a clock.nudge is not", _nudged(next="nudge"), DAY),
    Tampered("nudge-lacks", "lacks next", _nudged(next="-"), DAY),
    Tampered("nudge-more", "has an unknown field 'by'", _nudged(by="host"), DAY),
    Tampered("nudge-no-data", "the data of a clock.nudge is an object", lambda game: game.raw("clock.nudge"), DAY),
    Tampered(
        "nudge-seat",
        "but seat",
        lambda game: game.after("P1D").mark(LadderStep("nudge", 0, timedelta(hours=6), "grace"), 1 - game.turn),
        DAY,
    ),
    Tampered(
        "nudge-by-host",
        "a clock.nudge carries no by",
        lambda game: game.after("P1D").raw("clock.nudge", {"wait": 0, "for": "PT6H", "next": "grace"}, by="host"),
        DAY,
    ),
    Tampered(
        "nudge-by-bot",
        "a clock.nudge carries no by",
        lambda game: game.after("P1D").raw("clock.nudge", {"wait": 0, "for": "PT6H", "next": "grace"}, by=BOT),
        DAY,
    ),
    Tampered("nudge-paused", "while the game is paused", lambda game: nudge(game.pause("P2D")), NO_GRACE),
    Tampered("nudge-of-a-bot", "which has no clock", _bot_waited_for, NO_GRACE, 3),
    Tampered("nudge-on-autopilot", "is on autopilot and has no clock", _nudge_after_two_autopilots, BOTS),
    Tampered("nudge-no-clock", "a game without a clock has no clock.nudge", _nudged()),
    # grace
    Tampered(
        "grace-early",
        "grace is early",
        lambda game: game.after("P1D").nudge("PT6H", "grace").after("PT6H", -1).grace("PT12H", "out"),
        DAY,
    ),
    Tampered(
        "grace-first",
        "no step of this stretch that stands has named grace",
        lambda game: _first_step(game, "grace"),
        DAY,
    ),
    Tampered(
        "grace-not-named",
        "no step of this stretch that stands has named grace",
        lambda game: nudge(game).after("PT6H").grace("PT12H", "out"),
        NO_GRACE,
    ),
    Tampered("grace-twice", "has named grace", lambda game: grace(game).after("P1D").grace("PT12H", "out"), DAY),
    Tampered("grace-once-a-game", "next of the nudge is grace, but the ladder has out", _second_grace, DAY),
    Tampered(
        "grace-for",
        "for of the grace is not the ladder's",
        lambda game: game.after("P1D").nudge("PT6H", "grace").after("PT6H").grace("PT6H", "out"),
        DAY,
    ),
    Tampered(
        "grace-next",
        "next of the grace is autopilot, but the ladder has out",
        lambda game: game.after("P1D").nudge("PT6H", "grace").after("PT6H").grace("PT12H", "autopilot"),
        DAY,
    ),
    Tampered(
        "grace-next-grace",
        "next of a clock.grace is not 'grace'",
        lambda game: game.after("P1D").nudge("PT6H", "grace").after("PT6H").grace("PT12H", "grace"),
        DAY,
    ),
    Tampered(
        "grace-after-more",
        "has named grace",
        lambda game: (
            game.after("P1D").nudge("PT6H", "grace").more("P1D", 1 - game.turn).after("P9D").grace("PT12H", "out")
        ),
        DAY,
    ),
    # autopilot and back
    Tampered("autopilot-early", "autopilot is early", lambda game: nudge(game).after("PT6H", -1).autopilot(), BOTS),
    Tampered("autopilot-first", "has named autopilot", lambda game: game.after("P9D").autopilot(), BOTS),
    Tampered("autopilot-for-out", "has named autopilot", lambda game: nudge(game).after("P9D").autopilot(), NO_GRACE),
    Tampered("autopilot-twice", "is on autopilot", lambda game: autopilot(game).after("P9D").autopilot(), BOTS),
    Tampered(
        "autopilot-wait",
        "but the stretch is number 0",
        lambda game: nudge(game).after("PT6H").raw("clock.autopilot", {"wait": 2}),
        BOTS,
    ),
    Tampered(
        "autopilot-paused",
        "while the game is paused",
        lambda game: nudge(game).pause("P9D").after("PT6H").autopilot(),
        BOTS,
    ),
    Tampered("back-in-time", "is not on autopilot", lambda game: game.mark(marks.Back()), BOTS),
    Tampered(
        "back-of-the-other",
        "is not on autopilot",
        lambda game: autopilot(game).mark(marks.Back(), 1 - game.turn),
        BOTS,
    ),
    Tampered("back-data", "a clock.back has no data", lambda game: autopilot(game).raw("clock.back", {}), BOTS),
    Tampered("back-no-clock", "a game without a clock has no clock.back", lambda game: game.mark(marks.Back())),
    # time-outs
    Tampered("timeout-in-time", "has named out", lambda game: game.after("PT1H").timeout(), DAY),
    Tampered("timeout-without-nudge", "has named out", lambda game: game.after("P90D").timeout(), DAY),
    Tampered(
        "timeout-before-grace",
        "has named out",
        lambda game: game.after("P1D").nudge("PT6H", "grace").after("P9D").timeout(),
        DAY,
    ),
    Tampered("timeout-early", "out is early", lambda game: grace(game).after("PT12H", -1).timeout(), DAY),
    Tampered("timeout-for-autopilot", "has named out", lambda game: nudge(game).after("P9D").timeout(), BOTS),
    Tampered("timeout-for-wait", "has named out", lambda game: nudge(game).after("P9D").timeout(), WAITS),
    Tampered("timeout-of-the-other", "times out, but seat", _timeout_of_the_other, NO_GRACE),
    Tampered("timeout-next-stretch", "has named out", _timeout_in_the_next_stretch, NO_GRACE),
    Tampered(
        "timeout-after-more",
        "has named out",
        lambda game: nudge(game).more("PT1H", 1 - game.turn).after("P9D").timeout(),
        NO_GRACE,
    ),
    Tampered("timeout-paused", "while the game is paused", _paused_timeout, NO_GRACE),
    # bots
    Tampered("bot-for-a-person", "which is no bot's and not on autopilot", _bot_in_a_persons_place, DAY),
    Tampered("bot-before-a-person", "which is no bot's and not on autopilot", _bot_before_a_persons_move, DAY, entry=2),
    Tampered("bot-after-back", "which is no bot's and not on autopilot", _bot_after_back, BOTS),
    Tampered("bot-after-an-own-move", "which is no bot's and not on autopilot", _bot_after_an_own_move, BOTS),
    Tampered("bot-after-the-last-person", "left no person at the table", _move_after_the_last_person, BOTS),
)
