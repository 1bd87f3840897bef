"""Clocks, ladders and their bounds (CLOCKS.md 2.1, 6.1, 12)."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.clock.durations import render
from engine.clock.errors import ClockError
from engine.clock.terms import (
    BOUNDS,
    DEFAULT_LADDER,
    PRESETS,
    Bank,
    Ladder,
    NoClock,
    PerWait,
    Terms,
    bounded,
    clock_from_json,
    ladder_from_json,
)

DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)

WHOLE: dict[str, Any] = {
    "clock": {"kind": "bank", "bank": "P5D", "increment": "P1D", "cap": "P7D"},
    "ladder": {"nudge": "P1D", "grace": None, "then": "out"},
    "quiet": True,
    "absences": False,
}


def within(name: str, least: timedelta | None = None) -> st.SearchStrategy[timedelta]:
    low, most = BOUNDS[name]
    low = max(low, least or low)
    return st.integers(low // MINUTE, most // MINUTE).map(lambda minutes: minutes * MINUTE)


@st.composite
def terms(draw: st.DrawFn) -> Terms:
    bank = draw(within("bank"))
    clock = draw(
        st.one_of(
            st.just(NoClock()),
            within("per_wait").map(PerWait),
            st.builds(Bank, st.just(bank), within("increment"), within("cap", bank)),
        )
    )
    ladder = draw(
        st.builds(Ladder, within("nudge"), st.none() | within("grace"), st.sampled_from(["autopilot", "out", "wait"]))
    )
    return Terms(clock, ladder, draw(st.booleans()), draw(st.booleans()))


def refusal(data: object) -> tuple[str, str]:
    with pytest.raises(ClockError) as refused:
        Terms.from_json(data)
    return refused.value.code, refused.value.field


@given(terms())
def test_clocks_12_terms_come_back_from_their_mark(agreed: Terms) -> None:
    assert Terms.from_json(agreed.to_json()) == agreed


def test_clocks_2_1_the_presets_are_a_day_three_days_and_a_week() -> None:
    assert [clock.to_json() for clock in PRESETS.values()] == [
        {"kind": "per_wait", "per_wait": text} for text in ("P1D", "P3D", "P7D")
    ]
    assert Terms.chosen("days-3") == Terms(PerWait(3 * DAY), DEFAULT_LADDER)


def test_clocks_2_1_no_clock_has_no_terms() -> None:
    assert Terms.chosen(None) is None
    assert Terms.chosen({"kind": "none"}, WHOLE["ladder"]) is None
    assert clock_from_json({"kind": "none"}) == NoClock()


def test_a_table_may_choose_clock_ladder_and_what_stops_the_clock() -> None:
    assert Terms.chosen(**WHOLE) == Terms.from_json(WHOLE)


@pytest.mark.parametrize(
    ("choice", "field"),
    [
        ({"clock": "month"}, "clock"),
        ({"clock": 3}, "clock.kind"),
        ({"clock": "day", "quiet": 1}, "quiet"),
        ({"clock": "day", "absences": None}, "absences"),
    ],
)
def test_a_choice_that_does_not_exist_is_refused(choice: dict[str, Any], field: str) -> None:
    with pytest.raises(ClockError) as refused:
        Terms.chosen(**choice)
    assert (refused.value.code, refused.value.field) == ("bad_clock", field)


@pytest.mark.parametrize("name", BOUNDS)
def test_clocks_12_a_duration_may_be_the_least_and_the_most(name: str) -> None:
    least, most = BOUNDS[name]
    assert bounded(name, render(least)) == least
    assert bounded(name, render(most)) == most
    for beyond in (most + MINUTE, *([least - MINUTE] if least else [])):
        with pytest.raises(ClockError) as refused:
            bounded(name, render(beyond), "clock")
        assert (refused.value.code, refused.value.field) == ("out_of_bounds", f"clock.{name}")


@pytest.mark.parametrize(
    ("changed", "code", "field"),
    [
        ({"clock": {"kind": "bank", "bank": "P5D", "increment": "P1D", "cap": "P4D"}}, "out_of_bounds", "clock.cap"),
        ({"clock": {"kind": "bank", "bank": "P5D", "increment": "P1D"}}, "bad_clock", "clock.cap"),
        ({"clock": {"kind": "per_wait", "per_wait": "P3D", "cap": "P4D"}}, "bad_clock", "clock.cap"),
        ({"clock": {"kind": "per_wait", "per_wait": "P1W"}}, "bad_duration", "clock.per_wait"),
        ({"clock": {"kind": "none", "per_wait": "P1D"}}, "bad_clock", "clock.per_wait"),
        ({"clock": {"kind": ["none"]}}, "bad_clock", "clock.kind"),
        ({"clock": "day"}, "bad_clock", "clock.kind"),
        ({"ladder": {"nudge": "PT59M", "grace": None, "then": "out"}}, "out_of_bounds", "ladder.nudge"),
        ({"ladder": {"nudge": "P1D", "grace": "PT0M", "then": "out"}}, "out_of_bounds", "ladder.grace"),
        ({"ladder": {"nudge": "P1D", "grace": None, "then": "stop"}}, "bad_clock", "ladder.then"),
        ({"ladder": {"nudge": "P1D", "grace": None, "then": ["out"]}}, "bad_clock", "ladder.then"),
        ({"ladder": {"nudge": None, "grace": None, "then": "out"}}, "bad_duration", "ladder.nudge"),
        ({"ladder": None}, "bad_clock", "ladder"),
        ({"quiet": 1}, "bad_clock", "quiet"),
        ({"absences": None}, "bad_clock", "absences"),
        ({"zone": "UTC"}, "bad_clock", "zone"),
    ],
)
def test_clocks_12_terms_that_do_not_exist_are_refused(changed: dict[str, Any], code: str, field: str) -> None:
    assert refusal(WHOLE | changed) == (code, field)


def test_clocks_12_a_missing_field_is_named() -> None:
    for name in WHOLE:
        assert refusal({key: value for key, value in WHOLE.items() if key != name}) == ("bad_clock", name)
    assert refusal(None) == refusal([]) == ("bad_clock", "")


def test_clocks_6_1_the_default_ladder_ends_with_the_autopilot() -> None:
    assert DEFAULT_LADDER.to_json() == {"nudge": "P1D", "grace": "P2D", "then": "autopilot"}
    assert ladder_from_json({"nudge": "P1D", "then": "wait"}) == Ladder(DAY, None, "wait")
