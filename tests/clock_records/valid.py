"""Valid games with clocks: each clock, each ladder, each mark, each way to end."""

from __future__ import annotations

from collections.abc import Callable

from engine.clock import marks
from tests.clock_records.timed_game import BOT, TimedGame, bank, per_wait


def days_to_the_end(name: str) -> TimedGame:
    """Two players with days for each stretch come to the end by discs; some moves are late, but not too late."""
    game = TimedGame(name, per_wait("P3D"))
    while game.state.result is None:
        if game.seq % 7 == 3:
            had_grace = game.turn in _had_grace(game)
            game.after("P3D").nudge("P1D", "out" if had_grace else "grace")
            if not had_grace:
                game.after("P1D").grace("P2D", "out").after("P1DT23H")
        game.after("PT7H", 1).play()
    return game


def _had_grace(game: TimedGame) -> set[int | None]:
    return {entry["seat"] for entry in game.entries if entry["move"].get("kind") == "clock.grace"}


def row_of_turns(name: str) -> TimedGame:
    """Let a player move twice in a row: the stretch and its time go on."""
    game = TimedGame(name, per_wait("P1D", "PT6H", None, "out"))
    while game.wait == game.seq or game.seq < 3:
        game.after("PT1H").play()
    return game.after("PT23H").nudge("PT6H", "out").after("PT3H").play()


def bank_to_the_last_millisecond(name: str) -> TimedGame:
    """Nudge at the least time of the bank: what the first stretch left, and the increment, up to the cap."""
    game = TimedGame(name, bank("P5D P1D P7D", grace="PT12H", then="out"), seats=2)
    first = game.turn
    game.after("P2D").play().after("PT1H").play()
    assert game.turn == first and game.wait == game.seq
    game.after("P4D").nudge("P1D", "grace")  # 5 - 2 + 1 days
    game.after("P1D").grace("PT12H", "out").after("PT12H").timeout()
    return game


def out_one_after_the_other(name: str) -> TimedGame:
    """Put out three of four players, one of whom used grace before; one is left."""
    game = TimedGame(name, per_wait("P1D", "PT6H", "PT12H", "out"), seats=4)
    game.after("P1D").nudge("PT6H", "grace").after("PT6H").grace("PT12H", "out").after("PT11H").pass_turn()
    for _ in range(3):
        used = game.turn in _had_grace(game)
        game.after("P1D").nudge("PT6H", "out" if used else "grace").after("PT6H")
        if not used:
            game.grace("PT12H", "out").after("PT12H")
        game.timeout()
    return game


def autopilot_and_back(name: str) -> TimedGame:
    """Put a seat on autopilot, let its bot play, bring it back by a word, and once more by a move."""
    game = TimedGame(name, bank("P2D PT6H P3D"), seats=2)
    first, second = game.turn, 1 - game.turn
    game.after("P2D").nudge("P1D", "autopilot").after("P1D").autopilot().after("PT0M", 900).pass_turn(BOT)
    game.after("PT3H").pass_turn().after("PT0M", 800).pass_turn(BOT)
    game.after("PT5H").mark(marks.Back(), first).after("PT1H").reach(first)
    game.after("PT6H").nudge("P1D", "autopilot").after("P1D").autopilot().after("PT2M").play()
    game.reach(second).after("PT1H").play()
    return game


def nobody_left_by_autopilot(name: str) -> TimedGame:
    """Put one seat after the other on autopilot; with the last one the game ends."""
    game = TimedGame(name, per_wait("P1D", "PT1H", None, "autopilot"), seats=3)
    on_autopilot: set[int] = set()
    while len(on_autopilot) < 3:
        while game.turn in on_autopilot:
            game.after("PT0M", 500).play(BOT)
        on_autopilot.add(game.turn)
        game.after("P1D").nudge("PT1H", "autopilot").after("PT1H").autopilot()
    return game.end()


def nobody_left_beside_bots(name: str) -> TimedGame:
    """Let the one person who plays with two bots leave."""
    game = TimedGame(name, per_wait("P3D"), seats=3)
    person = game.turn
    game.after("PT2H").pass_turn()
    for _ in range(12):
        game.after("PT0M", 700).play(None if game.turn == person else BOT)
    game.resign(person).end()
    return game


def a_bot_at_the_table(name: str) -> TimedGame:
    """Two persons and a bot; only the other person gives time."""
    game = TimedGame(name, per_wait("P1D", "PT1H", None, "out"), seats=3)
    bot = next(seat for seat in range(3) if seat != game.turn)
    while game.turn == bot or game.seq < 8:
        game.after("PT20M").play(BOT if game.turn == bot else None)
    other = next(seat for seat in range(3) if seat not in (bot, game.turn))
    game.after("P1D").nudge("PT1H", "out").more("P2D", other).after("P2D").nudge("PT1H", "out")
    game.after("PT1H").timeout()
    while game.state.turn is not None:
        game.after("PT20M").play(BOT if game.turn == bot else None)
    return game


def time_beside_a_bot_to_come(name: str) -> TimedGame:
    """Give time before the bot at the table has moved, so that the log does not tell yet who plays there."""
    game = TimedGame(name, per_wait("P1D", "PT1H", None, "out"), seats=3)
    other, bot = (seat for seat in range(3) if seat != game.turn)
    game.after("PT20H").more("P2D", other).after("P2D")
    while not {entry["seat"] for entry in game.entries} >= {0, 1, 2}:
        game.after("PT20M").play(BOT if game.turn == bot else None)
    return game.after("PT1H").resign(other).after("PT1H").resign(3 - bot - other)


def abandoned_at_the_last_step(name: str) -> TimedGame:
    """Let the ladder wait: the game is kept once, and then abandoned."""
    game = TimedGame(name, per_wait("P1D", "P1D", "P2D", "wait"))
    game.after("PT5H").pass_turn().after("P1D").nudge("P1D", "grace").after("P1D").grace("P2D", None)
    game.after("P76D").warning().after("P2D").mark(marks.Keep(), 1 - game.turn)
    return game.after("P76D").warning().after("P14D").end()


def the_host_at_work(name: str) -> TimedGame:
    """Let the host pause, resume, give time, put a seat out, and end the game."""
    game = TimedGame(name, per_wait("P1D", "P1D", None, "out"), seats=4)
    game.after("PT6H").pause("P30D").after("P3D").pass_turn().resume()
    game.after("P1D").nudge("P1D", "out").host_more("P14D", game.turn).after("P13D").pass_turn()
    out = (game.turn + 1) % 4
    game.after("PT1H").host_out(out).timeout(out)
    game.after("PT1H").host_out(game.turn).timeout()
    game.after("PT1H").pause("PT1H").after("PT1H").play()
    return game.after("PT1H").host_end().end("host")


def outages(name: str) -> TimedGame:
    """Let the service fail twice, once before and once after the time is up."""
    game = TimedGame(name, per_wait("P1D", "PT1H", None, "out"))
    game.after("P1DT1H").outage("PT4H", "worker", "database")
    game.after("PT3H").nudge("PT1H", "out").after("P1D").outage("PT16M", "relay").after("PT44M").timeout()
    return game


def time_from_everybody(name: str) -> TimedGame:
    """Give 14 days twice in one stretch; a player who left in between gives no more."""
    game = TimedGame(name, bank("P1D PT0M P1D", "PT6H", "PT6H", "out"), seats=4)
    first = game.turn
    others = [seat for seat in range(4) if seat != first]
    game.after("PT12H").more("P14D", *others).after("PT1H").resign(others[1])
    game.after("PT1H").more("P14D", others[0], others[2]).after("P28DT10H").nudge("PT6H", "grace")
    game.after("PT6H").grace("PT6H", "out").after("PT5H").pass_turn()
    return game


def without_quiet_times(name: str) -> TimedGame:
    """Begin a game whose clock runs through quiet times and absences."""
    terms = per_wait("P7D")
    return TimedGame(name, type(terms)(terms.clock, terms.ladder, quiet=False, absences=False), seats=3)


def time_is_up(name: str) -> TimedGame:
    """Leave a game running in which a player has had grace and is about to be replaced by the bot."""
    game = TimedGame(name, per_wait("PT36H", "PT1H", "P14D", "autopilot"))
    game.after("P1DT12H").nudge("PT1H", "grace").after("PT30M").pass_turn().after("P2D")
    return game.nudge("PT1H", "grace").after("PT1H").grace("P14D", "autopilot")


def no_clock(name: str) -> TimedGame:
    """Pause, warn, keep and warn about a game without a clock, which ends as abandoned."""
    game = TimedGame(name, None)
    game.after("P1D").pass_turn().pause("P10D").after("P76D").warning().after("P1D").mark(marks.Keep(), 1 - game.turn)
    return game.after("P76D").warning().after("P14D").end()


def no_clock_host(name: str) -> TimedGame:
    """Let the host put a player out of a game without a clock."""
    game = TimedGame(name, None, seats=3)
    game.after("P1D").pass_turn().after("P9D").host_out(game.turn).timeout()
    return game.after("P1D").play()


def solo(name: str) -> TimedGame:
    """Let a solo be abandoned."""
    game = TimedGame(name, None, seats=1)
    return game.after("P1D").play().after("P76D").warning().after("P14D").end()


VALID: tuple[Callable[[str], TimedGame], ...] = (
    days_to_the_end,
    row_of_turns,
    bank_to_the_last_millisecond,
    out_one_after_the_other,
    autopilot_and_back,
    nobody_left_by_autopilot,
    nobody_left_beside_bots,
    a_bot_at_the_table,
    time_beside_a_bot_to_come,
    abandoned_at_the_last_step,
    the_host_at_work,
    outages,
    time_from_everybody,
    without_quiet_times,
    time_is_up,
    no_clock,
    no_clock_host,
    solo,
)


def name_of(script: Callable[[str], TimedGame]) -> str:
    """Return the id of a script's game."""
    return script.__name__.replace("_", "-")
