"""Measure the CPU time of processes and all their descendants, from /proc (Linux)."""

import os
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")
_PARENT, _TIMES = 1, slice(11, 15)
"""Fields of /proc/…/stat after the name: the parent, and user and system time of itself and of ended children."""


@dataclass(frozen=True)
class Cpu:
    """The CPU time, user and system, in µs per unit of work, by process, such as "web" and "Postgres"."""

    name: str
    unit: str
    each: Mapping[str, float]


def seconds(pid: int) -> float:
    """Return the CPU seconds of a process and all its descendants, including those that have ended.

    Raises:
        ProcessLookupError: there is no such process.
    """
    return sum(_ticks_of_family(pid).values()) / _TICK


def family(pid: int) -> list[int]:
    """Return the ids of a process and all its descendants.

    Raises:
        ProcessLookupError: there is no such process.
    """
    return list(_ticks_of_family(pid))


def _ticks_of_family(pid: int) -> dict[int, int]:
    parents: dict[int, list[int]] = defaultdict(list)
    ticks: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            # The name is in parentheses, and may contain parentheses and spaces itself.
            values = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it ended meanwhile; its time was added to the parent that waited for it
            continue
        parents[int(values[_PARENT])].append(int(entry.name))
        ticks[int(entry.name)] = sum(map(int, values[_TIMES]))
    if pid not in ticks:
        raise ProcessLookupError(f"there is no process {pid}")
    members = [pid]
    for member in members:
        members += parents[member]
    return {member: ticks[member] for member in members}


class Meter:
    """A meter of the CPU time that processes take while work is done, and of the amount of work."""

    def __init__(self, watched: Mapping[str, int]) -> None:
        self._watched = dict(watched)
        self._begun: dict[str, float] = {}
        self._taken: list[dict[str, float]] = []
        self._units: list[int] = []

    def begin(self) -> None:
        """Start measuring."""
        self._begun = {name: seconds(pid) for name, pid in self._watched.items()}

    def end(self, units: int, **others: float) -> None:
        """Stop measuring; `others` are CPU seconds of processes that measure themselves."""
        watched = {name: seconds(pid) - self._begun[name] for name, pid in self._watched.items()}
        self._taken.append(watched | others)
        self._units.append(units)

    def clear(self) -> None:
        """Discard what was measured."""
        self._taken.clear()
        self._units.clear()

    @property
    def each(self) -> list[float]:
        """The CPU seconds of all processes per unit of work, by round."""
        return [sum(taken.values()) / units for taken, units in zip(self._taken, self._units, strict=True)]

    def each_of(self, *processes: str) -> list[float]:
        """Return the CPU seconds of some processes per unit of work, by round."""
        taken = zip(self._taken, self._units, strict=True)
        return [sum(one[process] for process in processes) / units for one, units in taken]

    def cpu(self, name: str, unit: str) -> Cpu:
        """Return the CPU time of everything measured so far, by process."""
        processes = self._taken[0] if self._taken else {}
        sums = {process: sum(taken[process] for taken in self._taken) for process in processes}
        return Cpu(name, unit, {process: taken / sum(self._units) * 1e6 for process, taken in sums.items()})
