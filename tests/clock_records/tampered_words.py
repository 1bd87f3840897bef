"""Spoiled games: what players, the host and the service say, and how games are abandoned."""

from __future__ import annotations

from typing import Any

from engine.clock import marks
from tests.clock_records.spoiling import (
    BOTS,
    DAY,
    NO_GRACE,
    WAITS,
    Script,
    Spoiled,
    autopilot,
    bot_and_person,
    by_host,
    nudge,
)
from tests.clock_records.timed_game import BOT, TimedGame


def _more(**changes: Any) -> Script:
    data = {"wait": 0, "for": "P1D", "given_by": [-1]} | changes

    def script(game: TimedGame) -> object:
        if data["given_by"] == [-1]:
            data["given_by"] = [1 - game.turn]
        return game.after("PT1H").raw("clock.more", data)

    return script


def _outage(**changes: Any) -> Script:
    data = {"wait": 0, "from": "2026-05-04T11:00:00.000Z", "to": "2026-05-04T12:00:00.000Z", "what": ["web"]} | changes
    return lambda game: game.after("PT2H").raw("clock.outage", data)


def _bot_keeps(game: TimedGame) -> object:
    return game.mark(marks.Keep(), bot_and_person(game))


def _given_by_a_bot(game: TimedGame) -> object:
    bot_and_person(game)
    return game.more("P1D", *(seat for seat in range(3) if seat != game.turn))


def _given_by_who_left(game: TimedGame) -> object:
    gone, there = (seat for seat in range(3) if seat != game.turn)
    return game.after("PT1H").resign(gone).more("P1D", gone, there)


def _not_given_by_all(game: TimedGame) -> object:
    while not {0, 1, 2} <= {entry["seat"] for entry in game.entries[1:]}:
        game.after("PT20M").play()
    return game.more("P1D", (game.turn + 1) % 3)


def _not_given_by_who_said_keep(game: TimedGame) -> object:
    other, third = (seat for seat in range(3) if seat != game.turn)
    return game.mark(marks.Keep(), third).after("PT1H").more("P1D", other)


def _given_by_a_bot_to_come(game: TimedGame) -> object:
    other, bot = (seat for seat in range(3) if seat != game.turn)
    game.after("PT1H").more("P1D", other, bot)
    while game.turn != bot:
        game.after("PT20M").play()
    return game.play(BOT)


def _given_by_the_autopilot(game: TimedGame) -> object:
    seat = game.turn
    autopilot(game).after("PT0M", 500).pass_turn(BOT)
    return game.more("P1D", *(other for other in range(3) if other != game.turn and other in (seat, other)))


def _paused_end(game: TimedGame) -> object:
    return nudge(game).after("P90D").warning().after("P13D").pause("P2D").after("P1D").end()


def _end_with_a_person(game: TimedGame) -> object:
    return autopilot(game.after("PT1H").pass_turn().after("PT1H").pass_turn()).end()


def _host_end_of_the_abandoned(game: TimedGame) -> object:
    return game.after("P1D").host_end().end()


def _warning_then_keep(game: TimedGame) -> object:
    nudge(game).after("P90D").warning().after("P1D").mark(marks.Keep())
    return game.after("P13D").end()


def _warning_then_move(game: TimedGame) -> object:
    return nudge(game).after("P90D").warning().after("P1D").pass_turn().after("P13D").end()


WORDS: tuple[Spoiled, ...] = (
    # more time
    Spoiled("more-short", "gives PT1H to P14D", _more(**{"for": "PT59M"}), DAY),
    Spoiled("more-long", "gives PT1H to P14D", _more(**{"for": "P14DT1M"}), DAY),
    Spoiled("more-wait", "but the stretch is number 0", _more(wait=3), DAY),
    Spoiled("more-by-nobody", "given_by of a clock.more has", _more(given_by=[]), DAY),
    Spoiled("more-by-no-seat", "given_by is not all other persons", _more(given_by=[7]), DAY),
    Spoiled("more-by-oneself", "given_by is not all other persons", lambda game: game.more("P1D", 0, 1), DAY),
    Spoiled("more-twice", "each once", _more(given_by=[1, 1]), DAY),
    Spoiled("more-form", "given_by of a clock.more has", _more(given_by="all"), DAY),
    Spoiled("more-no-giver", "lacks given_by", lambda game: game.raw("clock.more", {"wait": 0, "for": "P1D"}), DAY),
    Spoiled("more-not-by-all", "given_by is not all other persons", _not_given_by_all, DAY, 3),
    Spoiled("more-not-by-who-kept", "given_by is not all other persons", _not_given_by_who_said_keep, DAY, 3),
    Spoiled("bot-that-gave-time", "is no bot's and not on autopilot", _given_by_a_bot_to_come, DAY, 3),
    Spoiled("more-by-who-left", "given_by is not all other persons", _given_by_who_left, DAY, 3),
    Spoiled("more-by-a-bot", "given_by is not all other persons", _given_by_a_bot, DAY, 3),
    Spoiled("more-by-the-autopilot", "given_by is not all other persons", _given_by_the_autopilot, BOTS, 3),
    Spoiled(
        "more-to-the-autopilot",
        "is on autopilot and has no clock",
        lambda game: autopilot(game).more("P1D", 1 - game.turn),
        BOTS,
    ),
    Spoiled(
        "more-than-28-days",
        "more than 28 days",
        lambda game: game.more("P14D", 1 - game.turn).more("P14D", 1 - game.turn).more("PT1H", 1 - game.turn),
        DAY,
    ),
    Spoiled(
        "more-by-host-with-givers",
        "lacks seat",
        by_host("clock.more", {"wait": 0, "for": "P1D", "given_by": [0], "reason": "so"}),
        DAY,
    ),
    Spoiled(
        "more-of-the-host-without-by",
        "is the host's",
        lambda game: game.raw("clock.more", {"wait": 0, "seat": game.turn, "for": "P1D", "reason": "so"}),
        DAY,
    ),
    Spoiled("more-by-host-to-the-other", "is to move", lambda game: game.host_more("P1D", 1 - game.turn), DAY),
    Spoiled("more-by-host-long", "gives PT1H to P14D", lambda game: game.host_more("P15D", game.turn), DAY),
    Spoiled("more-no-clock", "a game without a clock has no clock.more", _more()),
    # outages
    Spoiled("outage-short", "more than 15 minutes", _outage(to="2026-05-04T11:15:00.000Z"), DAY),
    Spoiled("outage-backwards", "more than 15 minutes", _outage(to="2026-05-04T10:00:00.000Z"), DAY),
    Spoiled("outage-to-come", "reaches past the entry", _outage(to="2026-05-04T12:00:00.001Z"), DAY),
    Spoiled("outage-of-nothing", "what of a clock.outage has", _outage(what=[]), DAY),
    Spoiled("outage-of-another-part", "what of a clock.outage has", _outage(what=["moon"]), DAY),
    Spoiled("outage-part-twice", "each once", _outage(what=["web", "web"]), DAY),
    Spoiled("outage-time", "from of a clock.outage is a time", _outage(**{"from": "2026-05-04T11:00:00Z"}), DAY),
    Spoiled("outage-wait", "but the stretch is number 0", _outage(wait=1), DAY),
    Spoiled("outage-no-clock", "a game without a clock has no clock.outage", _outage()),
    # the host
    Spoiled("pause-long", "at the latest", lambda game: game.pause("P30DT1M"), DAY),
    Spoiled("pause-past", "a pause ends after its entry", lambda game: game.after("P1D").pause("PT0M"), DAY),
    Spoiled(
        "pause-no-reason",
        "has 1 to 200 characters",
        by_host("clock.pause", {"until": "2026-05-05T10:00:00.000Z", "reason": ""}),
        DAY,
    ),
    Spoiled("pause-lacks", "lacks reason", by_host("clock.pause", {"until": "2026-05-05T10:00:00.000Z"}), DAY),
    Spoiled(
        "pause-without-by",
        "is the host's",
        lambda game: game.raw("clock.pause", {"until": "2026-05-05T10:00:00.000Z", "reason": "so"}),
        DAY,
    ),
    Spoiled("resume-without-pause", "no pause is on", by_host("clock.resume", {"reason": "so"}), DAY),
    Spoiled(
        "resume-late",
        "no pause is on",
        lambda game: game.pause("PT1H").after("PT1H").resume(),
        DAY,
    ),
    Spoiled(
        "resume-twice",
        "no pause is on",
        lambda game: game.pause("PT9H").resume().resume(),
        DAY,
    ),
    Spoiled("reason-long", "has 1 to 200 characters", by_host("host.end", {"reason": "x" * 201}), DAY),
    Spoiled("reason-form", "has 1 to 200 characters", by_host("host.end", {"reason": 5}), DAY),
    Spoiled("out-no-seat", "is not in the game", lambda game: game.host_out(2), DAY),
    Spoiled("out-seat-form", "seat of a host.out is", by_host("host.out", {"seat": "0", "reason": "so"}), DAY),
    Spoiled(
        "out-who-left",
        "is not in the game",
        lambda game: game.resign((game.turn + 1) % 3).host_out((game.turn + 1) % 3),
        DAY,
        3,
    ),
    Spoiled("out-alone", "does not follow", lambda game: game.host_out(game.turn), DAY),
    Spoiled(
        "out-of-another",
        "comes the timeout of seat",
        lambda game: game.host_out(game.turn).timeout((game.turn + 1) % 3),
        DAY,
        3,
    ),
    Spoiled(
        "out-then-a-move",
        "comes the timeout of seat",
        lambda game: game.host_out(game.turn).play(),
        DAY,
    ),
    Spoiled("out-no-clock", "comes the timeout of seat", lambda game: game.host_out(game.turn).play()),
    Spoiled("end-alone", "does not follow", lambda game: game.host_end(), DAY),
    Spoiled("end-then-a-move", "comes the end by the host", lambda game: game.host_end().play(), DAY),
    Spoiled("end-without-by", "comes the end by the host", _host_end_of_the_abandoned, DAY),
    Spoiled("end-unannounced", "follows host.end", lambda game: game.after("P1D").end("host"), DAY),
    # abandoned games
    Spoiled("end-unwarned", "no warning stands", lambda game: nudge(game).after("P365D").end(), WAITS),
    Spoiled(
        "end-early", "the end is early", lambda game: nudge(game).after("P90D").warning().after("P14D", -1).end(), WAITS
    ),
    Spoiled("end-kept", "no warning stands", _warning_then_keep, WAITS),
    Spoiled("end-moved", "no warning stands", _warning_then_move, WAITS),
    Spoiled("end-paused", "while it is paused", _paused_end, WAITS),
    Spoiled("end-with-a-person", "no warning stands", _end_with_a_person, BOTS),
    Spoiled("warning-short", "14 days or more", lambda game: nudge(game).after("P90D").warning("P13DT23H"), WAITS),
    Spoiled("warning-early", "is not abandoned before", lambda game: nudge(game).after("P15D").warning(), WAITS),
    Spoiled("warning-in-time", "no further step", lambda game: game.after("P90D").warning(), WAITS),
    Spoiled("warning-before-a-step", "no further step", lambda game: nudge(game).after("P90D").warning(), NO_GRACE),
    Spoiled(
        "warning-paused",
        "while the game is paused",
        lambda game: nudge(game).after("P90D").pause("P9D").warning(),
        WAITS,
    ),
    Spoiled(
        "warning-wait",
        "but the stretch is number 0",
        lambda game: game.after("P76D").raw("clock.warning", {"wait": 1, "not_before": "2026-08-09T10:00:00.000Z"}),
    ),
    Spoiled("warning-no-clock-early", "is not abandoned before", lambda game: game.after("P15D").warning()),
    Spoiled("keep-data", "a clock.keep has no data", lambda game: game.raw("clock.keep", {"wait": 0}), DAY),
    Spoiled("keep-by-host", "a clock.keep carries no by", lambda game: game.raw("clock.keep", by="host"), DAY),
    Spoiled(
        "keep-of-who-left",
        "has left",
        lambda game: game.resign((game.turn + 1) % 3).mark(marks.Keep(), (game.turn + 1) % 3),
        DAY,
        3,
    ),
    Spoiled("keep-of-a-bot", "a bot plays seat", _bot_keeps, NO_GRACE, 3),
)
