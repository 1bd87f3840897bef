"""Two things measured in turn, and how one stands to the other.

Machines differ, and a shared one swings by a factor of two within minutes; the ratio of two measurements that follow
each other holds. So every figure is the median of such ratios, and its spread is shown beside it.
"""

import gc
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import fmean, median

ROUNDS = 5

Measure = Callable[[], float]
"""Does some work, and says how many seconds a unit of it took."""

Pairs = list[tuple[float, float]]
"""What ours took and what the other took, by round."""


@dataclass(frozen=True)
class Goal:
    """What a ratio should be: at least, or at most, so much."""

    value: float
    at_most: bool = False

    def is_reached_by(self, ratio: float) -> bool:
        """Whether this ratio will do."""
        return ratio <= self.value if self.at_most else ratio >= self.value

    def __str__(self) -> str:
        return f"{'≤' if self.at_most else '≥'} {self.value:.2f}"


@dataclass(frozen=True)
class Finding:
    """A ratio of ours to the other, by round; `goal` is None where it is only for the record.

    `ours` and `other` are figures that people like to see beside it; they hold for this machine at this hour only.
    """

    name: str
    goal: Goal | None
    ratios: tuple[float, ...]
    ours: str
    other: str

    def row(self) -> tuple[str, ...]:
        """Its line in the table."""
        middle = median(self.ratios)
        spread = f"{min(self.ratios):.2f} to {max(self.ratios):.2f}"
        if self.goal is None:
            return self.name, "", f"{middle:.2f}", spread, "", self.ours, self.other
        verdict = "reached" if self.goal.is_reached_by(middle) else "missed"
        return self.name, str(self.goal), f"{middle:.2f}", spread, verdict, self.ours, self.other


_HEAD = ("", "goal", "median", "spread", "", "ours", "other")


def in_turn(ours: Measure, other: Measure, rounds: int = ROUNDS, turns: int = 1) -> Pairs:
    """Measures both in each round, `turns` times in turn, whose mean counts; who goes first changes each time."""
    measures = ours, other
    pairs = []
    for number in range(rounds):
        taken: tuple[list[float], list[float]] = ([], [])
        for turn in range(turns):
            first = (number + turn) % 2
            for side in (first, 1 - first):
                taken[side].append(measures[side]())
        pairs.append((fmean(taken[0]), fmean(taken[1])))
    return pairs


def speeds(name: str, goal: Goal | None, unit: str, pairs: Pairs) -> Finding:
    """How many times as fast ours is as the other."""
    ours, other = (f"{1 / median(column):,.0f} {unit}" for column in zip(*pairs, strict=True))
    return Finding(name, goal, tuple(other / ours for ours, other in pairs), ours, other)


def costs(name: str, goal: Goal | None, pairs: Pairs) -> Finding:
    """Which share of the other's time ours takes."""
    ours, other = (_span(median(column)) for column in zip(*pairs, strict=True))
    return Finding(name, goal, tuple(ours / other for ours, other in pairs), ours, other)


def _span(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms" if seconds > 1e-3 else f"{seconds * 1e6:.0f} µs"


def cpu_seconds(work: Callable[[], object]) -> float:
    """The CPU time that this process takes for some work: others on the machine disturb that the least."""
    gc.collect()
    begun = time.process_time()
    work()
    return time.process_time() - begun


def table(findings: Iterable[Finding]) -> str:
    """The findings as lines of text, with aligned columns."""
    rows = [_HEAD, *(finding.row() for finding in findings)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
