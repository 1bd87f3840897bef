"""Loose floors for builds: 70 % of the goals that were reached, in CPU time, which other load affects least.

It is a measurement and not a test, so what is missed is measured again before it counts.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from bench import engine, http
from bench.rounds import Finding, table

TRIES = 3
ROUNDS = 3
SECONDS = 0.5

Part = Callable[[], Iterator[Finding]]


def parts() -> Sequence[Part]:
    """Return the parts that have floors: the engine, and the web server beside hello."""
    return lambda: engine.measure(ROUNDS, turns=1), lambda: http.measure("sync", ROUNDS, SECONDS)


def check(measures: Sequence[Part] | None = None) -> int:
    """Measure everything that has a floor, and print the results.

    Returns:
        The exit code: 1 if a floor was missed in each of several tries.
    """
    found: dict[str, Finding] = {}
    missed: list[str] = []
    for measure in parts() if measures is None else measures:
        below = None
        for _ in range(TRIES):
            tried: dict[str, Finding] = {}
            for finding in measure():
                if finding.floor is not None:
                    tried[finding.name] = finding
                    sys.stderr.write(f"{finding.name.strip()}: {finding.median:.2f}, floor {finding.floor}\n")
            found |= {name: finding for name, finding in tried.items() if below is None or name in below}
            below = [name for name in tried if _is_missed(tried[name]) and (below is None or name in below)]
            if not below:
                break
        missed += below or []
    print(table([replace(finding, goal=finding.floor) for finding in found.values()]))
    for name in missed:
        sys.stderr.write(f"below its floor at {TRIES} tries: {name.strip()}\n")
    return int(bool(missed))


def _is_missed(finding: Finding) -> bool:
    return finding.floor is not None and not finding.floor.is_reached_by(finding.median)
