"""When a build fails because of a measurement."""

from collections.abc import Iterator

import pytest

from bench.floors import TRIES, Part, check
from bench.rounds import Finding, Goal


def part(*tries: tuple[float, float]) -> tuple[Part, list[int]]:
    """Return a part that finds two ratios at each try, and the list of its calls.

    The ratios have floors of at least and at most 0.7.
    """
    asked: list[int] = []

    def measure() -> Iterator[Finding]:
        fast, dear = tries[len(asked)]
        asked.append(1)
        yield Finding("fast", None, (fast, fast, 9.0), "", "", floor=Goal(0.7))
        yield Finding("dear", None, (dear,), "", "", floor=Goal(0.7, at_most=True))
        yield Finding("told", Goal(9), (0.1,), "", "")

    return measure, asked


def test_what_holds_is_measured_once(capsys: pytest.CaptureFixture[str]) -> None:
    measure, asked = part((0.8, 0.6))
    assert check([measure]) == 0
    assert len(asked) == 1
    said = capsys.readouterr().out
    assert "≥ 0.70" in said
    assert "told" not in said


def test_what_is_missed_is_measured_again(capsys: pytest.CaptureFixture[str]) -> None:
    measure, asked = part((0.6, 0.6), (0.6, 0.8), (0.8, 0.8))
    assert check([measure]) == 0
    assert len(asked) == 3
    fast, dear = [line for line in capsys.readouterr().out.splitlines() if line.startswith(("fast", "dear"))]
    assert "0.80" in fast
    assert "0.60" in dear


def test_what_is_missed_each_time_fails(capsys: pytest.CaptureFixture[str]) -> None:
    held, _ = part((0.8, 0.6))
    measure, asked = part(*[(0.8, 0.8)] * TRIES)
    assert check([measure, held]) == 1
    assert len(asked) == TRIES
    assert "below its floor at 3 tries: dear" in capsys.readouterr().err


def test_a_floor_is_looser_than_its_goal() -> None:
    assert Goal(2).loose == Goal(1.4)
    assert Goal(0.35, at_most=True).loose == Goal(0.5, at_most=True)
