"""Record which tests execute which lines, so that a mutant is tried on those tests alone."""

from __future__ import annotations

import gzip
import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Generator, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from coverage import Coverage

ROOT = Path(__file__).resolve().parents[2]
PLACE = ROOT / ".mutate" / "executed.json.gz"

SOURCES = ("engine", "service")

TESTS = (
    "tests/unit/engine",
    "tests/golden",
    "tests/oracle",
    "tests/unit/access",
    "tests/unit/api",
    "tests/unit/backup",
    "tests/unit/clocks",
    "tests/unit/commands",
    "tests/unit/events",
    "tests/unit/jobs",
    "tests/unit/pages/test_guests.py",
    "tests/unit/pages/test_sign_in.py",
    "tests/unit/pages/test_table.py",
    "tests/unit/queries",
    "tests/unit/receiver",
    "tests/unit/service",
    "tests/unit/store",
    "tests/unit/webserver",
    "tests/integration",
    "tests/drills/growth",
)
"""The tests that are measured by default, without those that drive a browser, a server or a service in other processes.
"""


@dataclass
class Executed:
    """The lines that each test executed when it was measured.

    Attributes:
        hashes: the SHA-256 of each file when it was measured.
        seconds: the time that each test that passed took, by its id.
        lines: the lines that each test executed, by its id and the file.
    """

    hashes: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    lines: dict[str, dict[str, list[int]]] = field(default_factory=dict)

    @classmethod
    def load(cls) -> Executed:
        """Return the measurements that are stored; empty if there are none."""
        if not PLACE.exists():
            return cls()
        with gzip.open(PLACE, "rt") as file:
            return cls(**json.load(file))

    def save(self) -> None:
        """Store the measurements for later runs."""
        PLACE.parent.mkdir(exist_ok=True)
        with gzip.open(PLACE, "wt", compresslevel=3) as file:
            json.dump(vars(self), file)

    def add(self, other: Executed) -> None:
        """Add new measurements, in place of the earlier ones of the same test files.

        If a file that was executed has changed since, all earlier measurements are dropped.
        """
        files = {test.partition("::")[0] for test in other.seconds}
        for test in [test for test in self.seconds if test.partition("::")[0] in files]:
            del self.seconds[test], self.lines[test]
        changed = {path for path, digest in other.hashes.items() if self.hashes.get(path, digest) != digest}
        if changed & {path for lines in self.lines.values() for path in lines}:
            self.seconds.clear()
            self.lines.clear()
        self.hashes |= other.hashes
        self.seconds |= other.seconds
        self.lines |= other.lines

    def by_line(self, path: str) -> dict[int, list[str]]:
        """Return the tests that execute each line of a file."""
        found: dict[int, list[str]] = {}
        for test, files in self.lines.items():
            for line in files.get(path, ()):
                found.setdefault(line, []).append(test)
        return found

    def is_current(self, path: str) -> bool:
        """Return whether a file is unchanged since it was measured."""
        return (ROOT / path).exists() and self.hashes.get(path) == hash_of(path)


class Recorder:
    """A pytest plugin that records which lines each test executes, and how long it takes."""

    def __init__(self, result: Path) -> None:
        self._result = result
        self._coverage = Coverage(data_file=None, source=[str(ROOT / each) for each in SOURCES], config_file=False)
        self._seconds: dict[str, float] = {}
        self._failed: set[str] = set()
        self._coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Record the lines of this test separately from those of others."""
        self._coverage.switch_context(item.nodeid)
        began = time.monotonic()
        try:
            return (yield)
        finally:
            self._seconds[item.nodeid] = round(time.monotonic() - began, 3)
            self._coverage.switch_context("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a test that does not pass or is skipped, so that it is left out."""
        if not report.passed:
            self._failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Write the result to its file."""
        self._coverage.stop()
        data = self._coverage.get_data()
        lines: dict[str, dict[str, list[int]]] = {test: {} for test in self._seconds if test not in self._failed}
        for path in data.measured_files():
            name = str(Path(path).relative_to(ROOT))
            for line, tests in data.contexts_by_lineno(path).items():
                for test in tests:
                    if test in lines:
                        lines[test].setdefault(name, []).append(line)
        seconds = {test: self._seconds[test] for test in lines}
        self._result.write_text(json.dumps({"seconds": seconds, "lines": lines}))


def hash_of(path: str) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256((ROOT / path).read_bytes()).hexdigest()


def measure(tests: Iterable[str]) -> Executed:
    """Run tests, and return what they execute; tests that fail are reported on standard error, and left out."""
    files = [path for top in (*SOURCES, "tests") for path in (ROOT / top).rglob("*.py")]
    hashes = {name: hash_of(name) for name in (str(path.relative_to(ROOT)) for path in files)}
    result = PLACE.with_name("measured.json")
    result.parent.mkdir(exist_ok=True)
    result.unlink(missing_ok=True)
    argv = [sys.executable, "-m", "scripts.mutate.executed", str(result), *tests]
    subprocess.run(argv, cwd=ROOT, stdout=sys.stderr, check=False)
    found: dict[str, Any] = json.loads(result.read_text())
    result.unlink()
    return Executed(hashes, found["seconds"], found["lines"])


if __name__ == "__main__":
    recorder = Recorder(Path(sys.argv[1]))
    sys.exit(pytest.main(["-q", "--whole", "-p", "no:cacheprovider", *sys.argv[2:]], plugins=[recorder]))
