"""Run benchmarks and print tables at the end; the exit code only says whether everything could be measured.

`python -m bench floors` is for builds: its exit code says whether goals are missed by far.
"""

import argparse
import os
import platform
import sys
from collections.abc import Callable, Iterator
from functools import partial

from bench import (
    audit,
    backlog,
    beside,
    boardgame,
    checkpoints,
    clocks,
    drain,
    engine,
    events,
    export,
    floors,
    growth,
    http,
    length,
    mails,
    pages,
    partitions,
    pictures,
    queue,
    reads,
    replicas,
    rounds,
    whole_game,
    worker,
)

Part = Callable[[int], Iterator[rounds.Finding]]
"""A function that measures in this many rounds."""

PARTS: dict[str, Part] = {
    "engine": engine.measure,
    "sync": partial(http.measure, "sync"),
    "reads": reads.measure,
    "pages": pages.measure,
    "replicas": replicas.measure,
    "gthread": partial(http.measure, "gthread"),
    "gevent": partial(http.measure, "gevent"),
    "boardgame": boardgame.measure,
    "growth": growth.measure,
    "export": export.measure,
    "audit": audit.measure,
    "length": length.measure,
    "queue": queue.measure,
    "worker": worker.measure,
    "game": whole_game.measure,
    "mails": mails.measure,
    "drain": drain.measure,
    "backlog": backlog.measure,
    "partitions": partitions.measure,
    "clocks": clocks.measure,
    "checkpoints": checkpoints.measure,
    "pictures": pictures.measure,
    "beside": beside.measure,
    "events": events.measure,
}


def main() -> None:
    """Measure the named parts, by default all."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__, allow_abbrev=False)
    parser.add_argument("what", nargs="*", metavar="WHAT", help=f"of {', '.join(PARTS)}; all of it by default")
    parser.add_argument("--rounds", type=int, default=rounds.ROUNDS, help=f"default: {rounds.ROUNDS}")
    arguments = parser.parse_args()
    what = arguments.what or list(PARTS)
    if what == ["floors"]:
        sys.exit(floors.check())
    if unknown := set(what) - set(PARTS):
        parser.error(f"there is no {min(unknown)} to be measured")
    findings: list[rounds.Finding] = []
    left_out: list[str] = []
    for name in what:
        try:
            for finding in PARTS[name](arguments.rounds):
                findings.append(finding)
                sys.stderr.write(f"{finding.name.strip()}: {finding.median:.2f}\n")
        except boardgame.Missing as missing:
            left_out.append(str(missing))
            sys.stderr.write(f"{missing}\n")
    load = " ".join(f"{load:.1f}" for load in os.getloadavg())
    print(f"\nCPython {platform.python_version()}, {os.cpu_count()} cores, load {load}\n")
    print(rounds.table(findings))
    if spent := rounds.cpu_table(findings):
        print(f"\n{spent}")
    for told in left_out:
        print(f"\n{told}")


if __name__ == "__main__":
    main()
