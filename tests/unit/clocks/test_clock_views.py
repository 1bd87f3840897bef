"""The views of a clock: what is shown, and to whom (CLOCKS.md 10, 11)."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.record import stamp
from service.clocks.absences import Absence
from service.clocks.clock_view import View, nothing, view
from service.clocks.quiet_times import NEVER, Schedule
from service.clocks.reckoning import runs_out_at
from tests.unit.clocks.clock_builder import BANK, BOT, DAY, HOUR, MINUTE, NIGHTS, PERSON, START, Built

AWAY = Absence(START - DAY, START + 10 * HOUR, START + 58 * HOUR)


def shown(game: Built, when: float, viewer: int | None) -> View:
    return view(game.clock, game.facts, START + when * HOUR, viewer)


def at(when: float) -> str:
    return stamp(START + when * HOUR)


def test_clocks_10_1_who_is_to_move_sees_all_to_the_minute() -> None:
    game = Built(BANK, facts=[PERSON, replace(PERSON, absences=(AWAY,)), BOT])
    game.move(3 + 1 / 60, 0)
    assert shown(game, 3.25, 0) == {
        "kind": "bank",
        "seat": 0,
        "running": True,
        "stands_still_because": None,
        "stage": "in_time",
        "left": ["P4DT20H45M", "P5D", None],
        "runs_out_at": at(120),
        "next": {"step": "nudge", "at": at(120)},
        "away": [{"seat": 1, "from": at(10), "until": at(58)}],
    }


@pytest.mark.parametrize("viewer", [1, None])
def test_clocks_11_2_others_see_what_the_stretch_began_with(viewer: int | None) -> None:
    game = Built(BANK)
    game.move(0.5, 1)
    game.move(1, 0)
    first = shown(game, 1, viewer)
    assert first["left"][0] == "P5DT23H"
    assert first["runs_out_at"] == at(145)  # 144.5, the next whole hour
    assert shown(game, 90, viewer) == first


def test_clocks_11_2_the_left_of_others_is_cut_to_hours() -> None:
    game = Built(BANK)
    game.move(0.5, 1)
    assert [shown(game, 2, viewer)["left"] for viewer in (0, 1, None)] == [
        ["P5DT23H30M", "P5D"],
        ["P5DT23H", "P4DT22H30M"],
        ["P5DT23H", "P5D"],
    ]


def test_clocks_11_2_after_more_others_see_what_was_left_then() -> None:
    game = Built()
    game.more(6, "P1D")
    assert shown(game, 20, 1)["left"] == ["P1DT18H", "P1D"]
    game.step()
    assert shown(game, 60, 1)["left"] == ["PT0M", "P1D"]


@pytest.mark.parametrize(
    ("viewer", "quiet", "absent", "paused"),
    [(0, "quiet", "absent", "paused"), (1, None, "absent", "paused"), (None, None, None, "paused")],
)
def test_clocks_11_2_what_stands_still_for_whom(
    viewer: int | None, quiet: str | None, absent: str | None, paused: str
) -> None:
    game = Built(facts=[replace(PERSON, schedule=NIGHTS), PERSON])
    night = 13
    expected = {quiet: shown(game, night, viewer)}
    game.facts[0] = replace(game.facts[0], absences=(AWAY,))
    expected |= {absent: shown(game, night, viewer)}
    game.pause(1, 40)
    expected |= {paused: shown(game, night, viewer)}
    for reason, found in expected.items():
        assert (found["stands_still_because"], found["running"]) == (reason, reason is None)


def test_clocks_11_2_absences_are_shown_at_the_table_alone() -> None:
    game = Built(facts=[PERSON, replace(PERSON, absences=(AWAY,)), PERSON], absences=False)
    assert [len(shown(game, 0, viewer)["away"]) for viewer in (0, 1, 2, None)] == [1, 1, 1, 0]
    assert shown(game, 58, 0)["away"] == []
    game.leave(1, 1, turn=0)
    assert shown(game, 2, 0)["away"] == []


def test_clocks_10_1_in_nudge_and_grace_the_end_of_the_time_is_past() -> None:
    game = Built(grace=DAY)
    game.step(late=MINUTE)
    found = shown(game, 30, 0)
    assert (found["stage"], found["left"], found["runs_out_at"]) == ("nudge", ["PT0M", "P1D"], at(24))
    assert found["next"] == {"step": "grace", "at": at(48 + 1 / 60)}
    assert shown(game, 30, 1)["next"] == {"step": "grace", "at": at(49)}
    game.step()
    found = shown(game, 50, 0)
    assert (found["stage"], found["runs_out_at"], found["next"]["step"]) == ("grace", at(24), "out")


def test_clocks_10_1_a_step_comes_after_the_pause_in_which_the_time_is_out() -> None:
    game = Built({"kind": "bank", "bank": "PT1H", "increment": "PT0M", "cap": "PT1H"})
    game.move(1, 1)
    game.pause(2, 40)
    game.move(3, 0)
    found = shown(game, 3, 0)
    assert (found["runs_out_at"], found["next"]) == (at(3), {"step": "nudge", "at": at(40)})


def test_clocks_10_1_no_step_follows_after_wait() -> None:
    game = Built(then="wait")
    game.step()
    assert shown(game, 30, 0)["next"] is None


@pytest.mark.parametrize("reason", ["bot", "autopilot"])
def test_clocks_10_1_a_bot_has_no_time(reason: str) -> None:
    game = Built(then="autopilot", facts=[BOT if reason == "bot" else PERSON, PERSON, PERSON])
    if reason == "autopilot":
        game.step()
        game.step()
    found = view(game.clock, game.facts, game.clock.last_at, 1)
    assert (found["stands_still_because"], found["running"]) == (reason, False)
    assert found["stage"] == ("in_time" if reason == "bot" else "autopilot")
    assert (found["left"], found["runs_out_at"], found["next"]) == ([None, "P1D", "P1D"], None, None)


def test_clocks_10_1_all_is_null_without_a_clock_or_after_the_end() -> None:
    assert shown(Built({"kind": "none"}), 5, 0) == nothing("none", 2)
    game = Built(BANK, facts=[PERSON, replace(PERSON, absences=(AWAY,))])
    game.leave(1, 0, turn=None)
    assert shown(game, 5, 1) == nothing("bank", 2)
    assert nothing("bank", 2)["left"] == [None, None]


def test_clocks_10_3_nobody_is_shown_more_time_than_there_is() -> None:
    game = Built()
    assert view(game.clock, game.facts, START + 1.5 * MINUTE, 0)["left"][0] == "PT23H58M"


def test_an_instant_before_the_last_entry_counts_as_that_of_the_entry() -> None:
    game = Built()
    game.move(5, 1)
    assert shown(game, 4, 1) == shown(game, 5, 1)


def without_instants(found: View) -> dict[str, Any]:
    rest: dict[str, Any] = json.loads(json.dumps(found))
    del rest["runs_out_at"], rest["next"]
    return rest


@given(st.integers(0, 24 * 60), st.sampled_from([1, None]))
def test_clocks_11_1_nothing_others_see_moves_with_the_hours_of_the_day(minutes: int, viewer: int | None) -> None:
    """With and without quiet times the same is shown at any time; only the instants of the ends differ."""
    moment: datetime = START + minutes * MINUTE

    def seen(schedule: Schedule) -> View:
        game = Built(facts=[replace(PERSON, schedule=schedule), PERSON])
        assert runs_out_at(game.clock, game.facts) is not None
        return view(game.clock, game.facts, moment, viewer)

    assert without_instants(seen(NIGHTS)) == without_instants(seen(NEVER))
    game = Built(facts=[replace(PERSON, schedule=NIGHTS), PERSON])
    assert seen(NIGHTS) == view(game.clock, game.facts, START, viewer)
