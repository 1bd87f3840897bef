"""Try mutants of the code on the tests: `python -m scripts.mutate`.

    python -m scripts.mutate measure [TESTS …]                 find out which tests execute what: once, and
                                                               again for test files that were changed
    python -m scripts.mutate [--sample 60] [--seed 1] [WHERE …]    try a sample of the mutants of these packages

The exit code is 1 if a mutant survives that `explained.toml` does not explain.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

from scripts.mutate.choice import Choice
from scripts.mutate.executed import ROOT, TESTS, Executed, measure
from scripts.mutate.mutants import Mutant, mutants_of
from scripts.mutate.trials import Trials, trials

SCOPES = {
    "engine": ("engine/*.py", "engine/clock/*.py", "engine/notation/*.py"),
    "commands": ("service/commands/*.py",),
    "access": ("service/access/*.py",),
    "store": ("service/store/*.py",),
    "jobs": ("service/jobs/*.py",),
    "api": ("service/api/*.py",),
}
"""The files that are mutated by default, by the name that the command line gives them."""

LEFT_OUT = ("*_schemas.py", "*_examples.py", "*/openapi.py", "*/schema.py", "*/documents.py", "*/documented.py")
"""Files that only describe the API; `tests/integration/contract` compares them with openapi.yaml byte by byte."""

_EXPLAINED = Path(__file__).with_name("explained.toml")


def main() -> int:
    """Run the command line, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m scripts.mutate", description=__doc__, allow_abbrev=False)
    parser.add_argument("where", nargs="*", help=f"of {', '.join(SCOPES)}, or files; or `measure` and tests")
    parser.add_argument("--sample", type=int, default=60, help="so many mutants, 0: all (default: 60)")
    parser.add_argument("--seed", type=int, default=1, help="another seed, another sample (default: 1)")
    parser.add_argument("--only", default="", help="only mutants whose line in the report fits this pattern")
    arguments = parser.parse_args()
    executed = Executed.load()
    if arguments.where[:1] == ["measure"]:
        executed.add(measure(arguments.where[1:] or [each for each in TESTS if (ROOT / each).exists()]))
        executed.save()
        return 0
    mutants = [mutant for mutant in _mutants(arguments.where) if re.search(arguments.only, str(mutant))]
    chosen = random.Random(arguments.seed).sample(mutants, min(arguments.sample or len(mutants), len(mutants)))
    print(f"{len(chosen)} of {len(mutants)} mutants, seed {arguments.seed}", flush=True)
    if stale := sorted({each.path for each in chosen if not executed.is_current(each.path)}):
        parser.error(f"not measured, or changed since: {' '.join(stale)}; run `python -m scripts.mutate measure`")
    return _drill(chosen, executed)


def _mutants(where: list[str]) -> Iterator[Mutant]:
    patterns = [pattern for each in where or SCOPES for pattern in SCOPES.get(each, (each,))]
    files = sorted(str(path.relative_to(ROOT)) for top in ("engine", "service") for path in (ROOT / top).rglob("*.py"))
    for name in files:
        if any(fnmatch(name, each) for each in patterns) and not any(fnmatch(name, each) for each in LEFT_OUT):
            yield from mutants_of(name, (ROOT / name).read_bytes())


def _drill(mutants: list[Mutant], executed: Executed) -> int:
    choice, explained = Choice(executed), _Explained()
    survivors: list[str] = []
    unexplained = 0
    began = time.monotonic()
    with trials() as ground:
        judge = _Judge(ground, choice)
        for mutant in mutants:
            tests = choice.tests(mutant)
            if tests and judge.notices(mutant, tests):
                continue
            why = explained.why(mutant)
            unexplained += why is None
            survivors.append(f"{mutant}  [{f'{len(tests)} tests' if tests else 'no test executes it'}]  {why or ''}")
            print(f"SURVIVED {survivors[-1]}", flush=True)
    share = len(survivors) / max(1, len(mutants))
    took = (time.monotonic() - began) / max(1, len(mutants))
    print(
        f"{len(survivors)} of {len(mutants)} survived ({share:.1%}), {unexplained} unexplained; {took:.1f} s a mutant"
    )
    return int(unexplained > 0)


class _Judge:
    """A judge of whether tests notice a mutant. A test that fails on unchanged code says nothing, and is left out."""

    def __init__(self, ground: Trials, choice: Choice) -> None:
        self._ground = ground
        self._choice = choice
        self._passes: set[str] = set()

    def notices(self, mutant: Mutant, tests: list[str]) -> bool:
        """Return whether one of the tests fails or does not end.

        Tests that fail on unchanged code are removed from `tests`.
        """
        while tests:
            outcome = self._ground.run(mutant, tests, self._choice.seconds(tests))
            if outcome.passed:
                return False
            by = _named(outcome.by, tests)
            if outcome.is_late or by in self._passes or self._ground.run(None, [by], 10).passed:
                self._passes.add(by)
                return True
            print(f"left out, as it fails on the code as it is: {by}", flush=True)
            tests.remove(by)
        return False


def _named(failed: str | None, tests: list[str]) -> str:
    """Return the one of these tests that failed; the first, if they could not even be collected.

    Tests that are made while they run, as by schemathesis, were measured under the name of what makes them.
    """
    names = (failed, (failed or "").partition("[")[0])
    return next((each for each in names if each in tests), tests[0])


class _Explained:
    """The mutants that may survive, with the reasons. Lines move, so a mutant is identified by what it changes."""

    def __init__(self) -> None:
        self._entries = tomllib.loads(_EXPLAINED.read_text())["mutant"] if _EXPLAINED.exists() else []

    def why(self, mutant: Mutant) -> str | None:
        """Return the reason why a mutant may survive, or None if none is given."""
        for entry in self._entries:
            known = ("path", "where", "name", "before", "after")
            if all(entry[name] == getattr(mutant, name) for name in known if name in entry):
                return str(entry["why"])
        return None


if __name__ == "__main__":
    sys.exit(main())
