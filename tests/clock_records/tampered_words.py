"""Tampered games: what players, the host and the service say, and how games are abandoned."""

from __future__ import annotations

from typing import Any

from engine.clock import marks
from tests.clock_records.tampering import (
    BOTS,
    DAY,
    NO_GRACE,
    WAITS,
    Script,
    Tampered,
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


WORDS: tuple[Tampered, ...] = (
    # more time
    Tampered("more-short", "gives PT1H to P14D", _more(**{"for": "PT59M"}), DAY),
    Tampered("more-long", "gives PT1H to P14D", _more(**{"for": "P14DT1M"}), DAY),
    Tampered("more-wait", "but the stretch is number 0", _more(wait=3), DAY),
    Tampered("more-by-nobody", "given_by of a clock.more has", _more(given_by=[]), DAY),
    Tampered("more-by-no-seat", "given_by is not all other persons", _more(given_by=[7]), DAY),
    Tampered("more-by-oneself", "given_by is not all other persons", lambda game: game.more("P1D", 0, 1), DAY),
    Tampered("more-twice", "each once", _more(given_by=[1, 1]), DAY),
    Tampered("more-form", "given_by of a clock.more has", _more(given_by="all"), DAY),
    Tampered("more-no-giver", "lacks given_by", lambda game: game.raw("clock.more", {"wait": 0, "for": "P1D"}), DAY),
    Tampered("more-not-by-all", "given_by is not all other persons", _not_given_by_all, DAY, 3),
    Tampered("more-not-by-who-kept", "given_by is not all other persons", _not_given_by_who_said_keep, DAY, 3),
    Tampered("bot-that-gave-time", "is no bot's and not on autopilot", _given_by_a_bot_to_come, DAY, 3),
    Tampered("more-by-who-left", "given_by is not all other persons", _given_by_who_left, DAY, 3),
    Tampered("more-by-a-bot", "given_by is not all other persons", _given_by_a_bot, DAY, 3),
    Tampered("more-by-the-autopilot", "given_by is not all other persons", _given_by_the_autopilot, BOTS, 3),
    Tampered(
        "more-to-the-autopilot",
        "is on autopilot and has no clock",
        lambda game: autopilot(game).more("P1D", 1 - game.turn),
        BOTS,
    ),
    Tampered(
        "more-than-28-days",
        "more than 28 days",
        lambda game: game.more("P14D", 1 - game.turn).more("P14D", 1 - game.turn).more("PT1H", 1 - game.turn),
        DAY,
    ),
    Tampered(
        "more-by-host-with-givers",
        "lacks seat",
        by_host("clock.more", {"wait": 0, "for": "P1D", "given_by": [0], "reason": "so"}),
        DAY,
    ),
    Tampered(
        "more-of-the-host-without-by",
        "is the host's",
        lambda game: game.raw("clock.more", {"wait": 0, "seat": game.turn, "for": "P1D", "reason": "so"}),
        DAY,
    ),
    Tampered("more-by-host-to-the-other", "is to move", lambda game: game.host_more("P1D", 1 - game.turn), DAY),
    Tampered("more-by-host-long", "gives PT1H to P14D", lambda game: game.host_more("P15D", game.turn), DAY),
    Tampered("more-no-clock", "a game without a clock has no clock.more", _more()),
    # outages
    Tampered("outage-short", "more than 15 minutes", _outage(to="2026-05-04T11:15:00.000Z"), DAY),
    Tampered("outage-backwards", "more than 15 minutes", _outage(to="2026-05-04T10:00:00.000Z"), DAY),
    Tampered("outage-to-come", "reaches past the entry", _outage(to="2026-05-04T12:00:00.001Z"), DAY),
    Tampered("outage-of-nothing", "what of a clock.outage has", _outage(what=[]), DAY),
    Tampered("outage-of-another-part", "what of a clock.outage has", _outage(what=["moon"]), DAY),
    Tampered("outage-part-twice", "each once", _outage(what=["web", "web"]), DAY),
    Tampered("outage-time", "from of a clock.outage is a time", _outage(**{"from": "2026-05-04T11:00:00Z"}), DAY),
    Tampered("outage-wait", "but the stretch is number 0", _outage(wait=1), DAY),
    Tampered("outage-no-clock", "a game without a clock has no clock.outage", _outage()),
    # the host
    Tampered("pause-long", "at the latest", lambda game: game.pause("P30DT1M"), DAY),
    Tampered("pause-past", "a pause ends after its entry", lambda game: game.after("P1D").pause("PT0M"), DAY),
    Tampered(
        "pause-no-reason",
        "has 1 to 200 characters",
        by_host("clock.pause", {"until": "2026-05-05T10:00:00.000Z", "reason": ""}),
        DAY,
    ),
    Tampered("pause-lacks", "lacks reason", by_host("clock.pause", {"until": "2026-05-05T10:00:00.000Z"}), DAY),
    Tampered(
        "pause-without-by",
        "is the host's",
        lambda game: game.raw("clock.pause", {"until": "2026-05-05T10:00:00.000Z", "reason": "so"}),
        DAY,
    ),
    Tampered("resume-without-pause", "no pause is on", by_host("clock.resume", {"reason": "so"}), DAY),
    Tampered(
        "resume-late",
        "no pause is on",
        lambda game: game.pause("PT1H").after("PT1H").resume(),
        DAY,
    ),
    Tampered(
        "resume-twice",
        "no pause is on",
        lambda game: game.pause("PT9H").resume().resume(),
        DAY,
    ),
    Tampered("reason-long", "has 1 to 200 characters", by_host("host.end", {"reason": "x" * 201}), DAY),
    Tampered("reason-form", "has 1 to 200 characters", by_host("host.end", {"reason": 5}), DAY),
    Tampered("out-no-seat", "is not in the game", lambda game: game.host_out(2), DAY),
    Tampered("out-seat-form", "seat of a host.out is", by_host("host.out", {"seat": "0", "reason": "so"}), DAY),
    Tampered(
        "out-who-left",
        "is not in the game",
        lambda game: game.resign((game.turn + 1) % 3).host_out((game.turn + 1) % 3),
        DAY,
        3,
    ),
    Tampered("out-alone", "does not follow", lambda game: game.host_out(game.turn), DAY),
    Tampered(
        "out-of-another",
        "comes the timeout of seat",
        lambda game: game.host_out(game.turn).timeout((game.turn + 1) % 3),
        DAY,
        3,
    ),
    Tampered(
        "out-then-a-move",
        "comes the timeout of seat",
        lambda game: game.host_out(game.turn).play(),
        DAY,
    ),
    Tampered("out-no-clock", "comes the timeout of seat", lambda game: game.host_out(game.turn).play()),
    Tampered("end-alone", "does not follow", lambda game: game.host_end(), DAY),
    Tampered("end-then-a-move", "comes the end by the host", lambda game: game.host_end().play(), DAY),
    Tampered("end-without-by", "comes the end by the host", _host_end_of_the_abandoned, DAY),
    Tampered("end-unannounced", "follows host.end", lambda game: game.after("P1D").end("host"), DAY),
    # abandoned games
    Tampered("end-unwarned", "no warning stands", lambda game: nudge(game).after("P365D").end(), WAITS),
    Tampered(
        "end-early", "the end is early", lambda game: nudge(game).after("P90D").warning().after("P14D", -1).end(), WAITS
    ),
    Tampered("end-kept", "no warning stands", _warning_then_keep, WAITS),
    Tampered("end-moved", "no warning stands", _warning_then_move, WAITS),
    Tampered("end-paused", "while it is paused", _paused_end, WAITS),
    Tampered("end-with-a-person", "no warning stands", _end_with_a_person, BOTS),
    Tampered("warning-short", "14 days or more", lambda game: nudge(game).after("P90D").warning("P13DT23H"), WAITS),
    Tampered("warning-early", "is not abandoned before", lambda game: nudge(game).after("P15D").warning(), WAITS),
    Tampered("warning-in-time", "no further step", lambda game: game.after("P90D").warning(), WAITS),
    Tampered("warning-before-a-step", "no further step", lambda game: nudge(game).after("P90D").warning(), NO_GRACE),
    Tampered(
        "warning-paused",
        "while the game is paused",
        lambda game: nudge(game).after("P90D").pause("P9D").warning(),
        WAITS,
    ),
    Tampered(
        "warning-wait",
        "but the stretch is number 0",
        lambda game: game.after("P76D").raw("clock.warning", {"wait": 1, "not_before": "2026-08-09T10:00:00.000Z"}),
    ),
    Tampered("warning-no-clock-early", "is not abandoned before", lambda game: game.after("P15D").warning()),
    Tampered("keep-data", "a clock.keep has no data", lambda game: game.raw("clock.keep", {"wait": 0}), DAY),
    Tampered("keep-by-host", "a clock.keep carries no by", lambda game: game.raw("clock.keep", by="host"), DAY),
    Tampered(
        "keep-of-who-left",
        "has left",
        lambda game: game.resign((game.turn + 1) % 3).mark(marks.Keep(), (game.turn + 1) % 3),
        DAY,
        3,
    ),
    Tampered("keep-of-a-bot", "a bot plays seat", _bot_keeps, NO_GRACE, 3),
)
