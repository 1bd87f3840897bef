"""The form in which a game's clock is stored."""

from __future__ import annotations

import json
from dataclasses import replace

from service.clocks import clock_json, quiet_times
from service.clocks.more_time import with_word
from tests.unit.clocks.clock_builder import BANK, DAY, HOUR, PERSON, START, Built

WINDOWS = [
    {"days": [day, "sun"], "from": f"{hour:02}:15", "to": f"{hour:02}:45"}
    for hour, day in enumerate(2 * quiet_times.DAYS, start=5)
]


def test_a_clock_with_all_that_it_can_have_comes_back_and_is_small() -> None:
    schedule = quiet_times.parse(WINDOWS, "America/Argentina/ComodRivadavia")
    game = Built(BANK, facts=[replace(PERSON, schedule=schedule)] * 4, grace=DAY, then="autopilot")
    game.step()
    game.step()
    game.step()
    autopilot = game.clock
    game.move(400, 1, by="bot:greedy")
    game.pause(401, 402)
    game.pause(403, 404)
    game.outage(400, 405)
    game.more(410, "P1D")
    for seat in (2, 3):
        game.clock = with_word(game.clock, seat, 14 * DAY, START + 420 * HOUR)
    game.step()
    game.leave(600, 2, turn=1)
    for clock in (autopilot, game.clock):
        text = json.dumps(clock_json.to_json(clock), separators=(",", ":"))
        assert clock_json.from_json(json.loads(text), game.terms, clock.abandoned_after) == clock
        assert len(text) < 1000


def test_a_clock_at_its_start_and_one_of_a_finished_game_are_smaller_still() -> None:
    game = Built(BANK)
    assert len(json.dumps(clock_json.to_json(game.clock))) < 250
    game.leave(1, 0, turn=None)
    assert "stretch" not in clock_json.to_json(game.clock)
    assert clock_json.from_json(clock_json.to_json(game.clock), game.terms, game.clock.abandoned_after) == game.clock
