"""CLOCKS.md 12: the form of the clock's and the host's marks, field by field."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from engine.clock import marks
from engine.clock.mark_forms import KINDS, EntryError, read
from engine.clock.terms import Bank, Ladder, Terms
from engine.moves import Mark
from engine.record import moment

DAY = timedelta(days=1)
FROM, TO = "2026-05-04T10:00:00.000Z", "2026-05-04T10:15:00.001Z"
TERMS = Terms(Bank(5 * DAY, DAY, 7 * DAY), Ladder(DAY, None, "wait"), quiet=False, absences=False)
GOOD: dict[str, tuple[Any, marks.ClockMark]] = {
    "clock": (TERMS.to_json(), marks.ClockStart(TERMS)),
    "clock.nudge": (
        {"wait": 3, "for": "P1DT12H", "next": "grace"},
        marks.LadderStep("nudge", 3, DAY * 3 / 2, "grace"),
    ),
    "clock.grace": ({"wait": 0, "for": "PT1H", "next": None}, marks.LadderStep("grace", 0, DAY / 24, None)),
    "clock.autopilot": ({"wait": 7}, marks.Autopilot(7)),
    "clock.back": (None, marks.Back()),
    "clock.keep": (None, marks.Keep()),
    "clock.more": ({"wait": 7, "for": "PT1H", "given_by": [2, 0]}, marks.More(7, DAY / 24, (2, 0))),
    "clock.outage": (
        {"wait": 7, "from": FROM, "to": TO, "what": ["web", "relay"]},
        marks.Outage(7, moment(FROM), moment(TO), ("web", "relay")),
    ),
    "clock.warning": ({"wait": 7, "not_before": FROM}, marks.AbandonWarning(7, moment(FROM))),
    "clock.pause": ({"until": FROM, "reason": "x"}, marks.HostPause(moment(FROM), "x")),
    "clock.resume": ({"reason": "y" * 200}, marks.HostResume("y" * 200)),
    "host.out": ({"seat": 3, "reason": "é"}, marks.HostOut(3, "é")),
    "host.end": ({"reason": "z"}, marks.HostEnd("z")),
}
HOST_MORE = {"wait": 7, "seat": 2, "for": "P14D", "reason": "a storm"}

WRONG: dict[str, list[Any]] = {
    "wait": [-1, "0", None, True, 1.0, [0]],
    "for": ["P1W", "PT24H", "PT60M", "P0D", "1 day", "", None, 1, ["P1D"]],
    "next": ["nudge", "wait", "", 0, False, ["out"]],
    "given_by": [[], [0, 0], ["0"], [0, "1"], [True], 0, None, {"0": 1}],
    "from": ["2026-05-04T10:00:00Z", "2026-05-04", "", None, 5],
    "to": [FROM, "2026-05-04T10:15:00.000Z", None],
    "what": [[], ["moon"], ["web", "moon"], ["web", "web"], "web", None, [["web"]], [1]],
    "not_before": ["2026-02-30T10:00:00.000Z", None, 5],
    "until": ["tomorrow", None, 5],
    "reason": ["", "x" * 201, None, 5, ["x"]],
    "seat": [-1, "0", None, True],
}


def refused(kind: str, data: Any) -> str:
    with pytest.raises(EntryError) as error:
        read(Mark(kind, data))
    return str(error.value)


def test_every_kind_has_its_example() -> None:
    assert set(GOOD) == set(KINDS)


@pytest.mark.parametrize("kind", GOOD)
def test_clocks_12_a_mark_is_read_and_written_alike(kind: str) -> None:
    data, value = GOOD[kind]
    assert read(Mark(kind, data)) == value
    assert marks.write(value) == Mark(kind, data)


def test_clocks_12_the_hosts_more_is_read_and_written_alike() -> None:
    value = marks.HostMore(7, 2, 14 * DAY, "a storm")
    assert read(Mark("clock.more", HOST_MORE)) == value
    assert marks.write(value) == Mark("clock.more", HOST_MORE)


@pytest.mark.parametrize("kind", GOOD)
def test_clocks_12_no_field_is_missing_and_none_is_too_much(kind: str) -> None:
    wrong: Any
    data = GOOD[kind][0]
    if data is None:
        for wrong in ({}, [], "x", {"wait": 0}):
            assert refused(kind, wrong) == f"a {kind} has no data"
        return
    for name in data:
        assert name in refused(kind, {other: data[other] for other in data if other != name})
    assert "more" in refused(kind, data | {"more": 1})
    for wrong in (None, [], "x", 5):
        assert refused(kind, wrong)


@pytest.mark.parametrize("name", HOST_MORE)
def test_clocks_12_the_hosts_more_lacks_no_field(name: str) -> None:
    assert refused("clock.more", {other: HOST_MORE[other] for other in HOST_MORE if other != name})
    assert "given_by" in refused("clock.more", HOST_MORE | {"given_by": [1]})


@pytest.mark.parametrize("kind", [kind for kind in GOOD if isinstance(GOOD[kind][0], dict) and kind != "clock"])
def test_clocks_12_each_field_has_its_form(kind: str) -> None:
    data = GOOD[kind][0]
    for name in data:
        for wrong in WRONG[name]:
            assert refused(kind, data | {name: wrong}), (name, wrong)


def test_clocks_12_grace_is_not_followed_by_grace() -> None:
    assert "'grace'" in refused("clock.grace", {"wait": 0, "for": "PT1H", "next": "grace"})
    for follows in ("autopilot", "out", None):
        assert read(Mark("clock.grace", {"wait": 0, "for": "PT1H", "next": follows}))
        assert read(Mark("clock.nudge", {"wait": 0, "for": "PT1H", "next": follows}))


def test_clocks_7_5_time_is_given_from_an_hour_to_14_days() -> None:
    for good in ("PT1H", "P14D"):
        assert read(Mark("clock.more", {"wait": 0, "for": good, "given_by": [1]}))
        assert read(Mark("clock.more", HOST_MORE | {"for": good}))
    for wrong in ("PT59M", "P14DT1M"):
        assert "gives PT1H to P14D" in refused("clock.more", {"wait": 0, "for": wrong, "given_by": [1]})
        assert "gives PT1H to P14D" in refused("clock.more", HOST_MORE | {"for": wrong})


def test_marks_of_other_subjects_are_not_read() -> None:
    assert read(Mark("note", {"wait": "x"})) is None
    assert refused("clock.other", None) == "there is no mark clock.other"
    assert refused("host.", None) == "there is no mark host."
