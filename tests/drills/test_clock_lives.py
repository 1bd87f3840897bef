"""Simulated years of games with clocks: the service's arithmetic, the audit and the oracle must agree on every life.

2,000 games of up to 400 days, with zones that change their clocks, quiet times, absences, pauses, more time, failures.
"""

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from engine import audit
from tests.oracle.clocks.scenario import expected
from tests.oracle.tiles import DATA
from tests.support.clock_fold import run
from tests.support.clock_life_records import line_of_record
from tests.support.clock_lives import life

CASES = [json.loads(line) for line in (DATA / "clock-cases.jsonl").read_text("utf-8").splitlines()]
KINDS = {
    "clock", "move", "resign", "timeout", "end", "clock.nudge", "clock.grace", "clock.autopilot", "clock.back",
    "clock.keep", "clock.more", "clock.outage", "clock.warning", "clock.pause", "clock.resume", "host.out", "host.end",
}  # fmt: skip


def plain(found: dict[str, Any]) -> dict[str, Any]:
    """Return the findings as JSON has them, with the reminders of each mail in order."""
    copy: dict[str, Any] = json.loads(json.dumps(found))
    for reminder in copy["reminders"]:
        reminder["which"].sort()
    return copy


@pytest.mark.parametrize("line", CASES, ids=lambda line: str(line["id"]))
def test_lives_that_showed_a_fault_come_out_as_expected(line: dict[str, Any]) -> None:
    wanted = plain(line["expect"])
    assert plain(expected(line)) == wanted
    assert plain(run(line)) == wanted


@pytest.mark.slow
@pytest.mark.drill
def test_clocks_agree_with_the_oracle_in_simulated_years(amount: Callable[..., int]) -> None:
    for number in range(amount(2000, 4)):
        line = life(f"life {number}")
        assert plain(run(line)) == plain(expected(line)), line["id"]


@pytest.mark.slow
@pytest.mark.drill
def test_audit_passes_the_records_of_simulated_years(amount: Callable[..., int]) -> None:
    seen: Counter[str] = Counter()
    lives = amount(2000, 4)
    for number in range(lives):
        line = life(f"real {number}", real=True)
        found = expected(line)
        audit.check(line_of_record(line, found))
        seen.update(entry["kind"] for entry in found["log"])
    assert set(seen) <= KINDS
    assert set(seen) == KINDS or lives < 2000
