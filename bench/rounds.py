"""Measure two things alternately, and compare them.

Machines differ, and the speed of a shared one varies by a factor of two within minutes; the ratio of two successive
measurements is stable. So every figure is the median of such ratios, shown with its spread.
"""

import gc
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median

from bench.spent import Cpu

ROUNDS = 5

FLOOR = 0.7

Measure = Callable[[], float]
"""A function that does some work and returns the seconds per unit of it."""

Pairs = list[tuple[float, float]]
"""The seconds of ours and of the other, by round."""


@dataclass(frozen=True)
class Goal:
    """A lower or an upper limit for a ratio."""

    value: float
    at_most: bool = False

    def is_reached_by(self, ratio: float) -> bool:
        """Return whether this ratio reaches the goal."""
        return ratio <= self.value if self.at_most else ratio >= self.value

    @property
    def loose(self) -> "Goal":
        """Return a looser goal of 70 %, which holds on a machine with other load too."""
        return replace(self, value=self.value / FLOOR if self.at_most else self.value * FLOOR)

    def __str__(self) -> str:
        return f"{'≤' if self.at_most else '≥'} {self.value:.2f}"


@dataclass(frozen=True)
class Finding:
    """A ratio of ours to the other, by round.

    Attributes:
        goal: what the ratio should be; None: it is only recorded.
        ours, other: figures to show beside it, valid for this machine at this hour.
        floor: the limit below which a build fails, for ratios that are steady enough.
        cpu: the CPU time of the processes of either side.
    """

    name: str
    goal: Goal | None
    ratios: tuple[float, ...]
    ours: str
    other: str
    floor: Goal | None = None
    cpu: tuple[Cpu, ...] = ()

    @property
    def median(self) -> float:
        """The median of the ratios, which is the one that counts."""
        return median(self.ratios)

    def row(self) -> tuple[str, ...]:
        """Return the cells of its line in the table."""
        middle = self.median
        spread = f"{min(self.ratios):.2f} to {max(self.ratios):.2f}"
        if self.goal is None:
            return self.name, "", f"{middle:.2f}", spread, "", self.ours, self.other
        verdict = "reached" if self.goal.is_reached_by(middle) else "missed"
        return self.name, str(self.goal), f"{middle:.2f}", spread, verdict, self.ours, self.other


_HEAD = ("", "goal", "median", "spread", "", "ours", "other")


def in_turn(ours: Measure, other: Measure, rounds: int = ROUNDS, turns: int = 1) -> Pairs:
    """Measure both in each round, `turns` times alternately, and take their means; the first one changes each time."""
    measures = ours, other
    measured = []
    for number in range(rounds):
        taken: tuple[list[float], list[float]] = ([], [])
        for turn in range(turns):
            first = (number + turn) % 2
            for side in (first, 1 - first):
                taken[side].append(measures[side]())
        measured.append((fmean(taken[0]), fmean(taken[1])))
    return measured


def pairs(ours: Iterable[float], other: Iterable[float]) -> Pairs:
    """Return the times of both by round, from the times of each."""
    return list(zip(ours, other, strict=True))


def speeds(name: str, goal: Goal | None, unit: str, taken: Pairs) -> Finding:
    """Return the factors by which ours is faster than the other."""
    ours, other = (f"{1 / median(column):,.0f} {unit}" for column in zip(*taken, strict=True))
    return Finding(name, goal, tuple(other / ours for ours, other in taken), ours, other)


def costs(name: str, goal: Goal | None, taken: Pairs) -> Finding:
    """Return the time of ours as a share of the other's."""
    ours, other = (_span(median(column)) for column in zip(*taken, strict=True))
    return Finding(name, goal, tuple(ours / other for ours, other in taken), ours, other)


def _span(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms" if seconds > 1e-3 else f"{seconds * 1e6:.0f} µs"


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return the CPU time that this process takes for some work, which other processes affect least."""
    gc.collect()
    begun = time.process_time()
    work()
    return time.process_time() - begun


def table(findings: Iterable[Finding]) -> str:
    """Return the findings as lines of text, with aligned columns."""
    return _aligned([_HEAD, *(finding.row() for finding in findings)])


def cpu_table(findings: Iterable[Finding]) -> str:
    """Return the CPU time of each unit of work by process, as lines of text; empty if it was not measured."""
    spent = [each for finding in findings for each in finding.cpu]
    processes = list(dict.fromkeys(process for each in spent for process in each.each))
    rows = [("CPU, µs", "for a", *processes, "all")]
    for one in spent:
        taken = [f"{one.each[process]:,.0f}" if process in one.each else "" for process in processes]
        rows.append((one.name, one.unit, *taken, f"{sum(one.each.values()):,.0f}"))
    return _aligned(rows) if spent else ""


def _aligned(rows: Sequence[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
