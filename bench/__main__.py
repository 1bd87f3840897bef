"""`python -m bench`: measures, and prints a table at the end. The exit code says only whether it could be measured."""

import argparse
import os
import platform
import sys

from bench import engine, http, rounds

KINDS = ("engine", "sync", "gthread")


def main() -> None:
    """Measures what is asked for, everything by default."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__, allow_abbrev=False)
    parser.add_argument("what", nargs="*", metavar="WHAT", help=f"of {', '.join(KINDS)}; all of it by default")
    parser.add_argument("--rounds", type=int, help=f"default: {engine.ROUNDS} for the engine, {rounds.ROUNDS} else")
    arguments = parser.parse_args()
    what = arguments.what or KINDS
    if unknown := set(what) - set(KINDS):
        parser.error(f"there is no {min(unknown)} to be measured")
    findings: list[rounds.Finding] = []
    for kind in what:
        if kind == "engine":
            measured = engine.measure(arguments.rounds or engine.ROUNDS)
        else:
            measured = http.measure(kind, arguments.rounds or rounds.ROUNDS)
        for finding in measured:
            findings.append(finding)
            sys.stderr.write(f"{finding.name.strip()}: {finding.row()[2]}\n")
    load = " ".join(f"{load:.1f}" for load in os.getloadavg())
    print(f"\nCPython {platform.python_version()}, {os.cpu_count()} cores, load {load}\n")
    print(rounds.table(findings))


if __name__ == "__main__":
    main()
