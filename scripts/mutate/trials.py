"""Run tests on a copy of the tree that contains a mutant.

Each trial is a fork of this process, which has already loaded the libraries and runs a Postgres with a migrated
database. So the start-up time of pytest is spent only once.
"""

from __future__ import annotations

import gc
import importlib
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import pytest
from psycopg import sql

from scripts.mutate.executed import ROOT
from scripts.mutate.mutants import Mutant
from service.local.postgres import Postgres

_OURS = {"engine", "service", "tests", "migrations", "demo", "bench"}
_LIBRARIES = (
    "alembic.command", "aiosmtpd.smtp", "babel.messages", "css_inline", "flask_smorest", "flask_sqlalchemy",
    "hypothesis",
    "httpx", "jinja2", "jsonschema_rs", "limits", "markdown_it", "PIL.Image", "procrastinate", "psycopg_pool",
    "rfc8785",
    "schemathesis", "sqlalchemy.orm", "structlog", "trustme", "xdist",
)  # fmt: skip
_OF_TEMPLATE = ("migrate.py", "rights.py", "collation.py", "connecting.py", "base.py")
"""The modules that create a database: a mutant in one of them gets a new database, which takes three seconds more."""

_STANDING = ("postgres", "template0", "template1", "novaluna", "template")
_FIRST_SECONDS = 30.0
_TIMES = 5
"""A factor for the longest time of a trial, because a mutant may never end.

A trial may take `_FIRST_SECONDS`, and so many times the time that its tests took when they were measured.
"""


class Outcome(NamedTuple):
    """The outcome of a trial.

    Attributes:
        passed: whether all tests passed.
        by: the test that failed first, or None.
        is_late: whether the trial took too long.
    """

    passed: bool
    by: str | None
    is_late: bool


class _Given:
    """A pytest plugin that provides session fixtures which already exist, and reports which test fails."""

    def __init__(self, values: Mapping[str, object], failed: int) -> None:
        self._values = values
        self._failed = failed

    @pytest.hookimpl(tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any], request: Any) -> object:
        if fixturedef.argname not in self._values or fixturedef.scope != "session":
            return None
        value = self._values[fixturedef.argname]
        fixturedef.cached_result = (value, fixturedef.cache_key(request), None)
        return value

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            os.write(self._failed, f"{report.nodeid}\n".encode())


class Trials:
    """A copy of the tree in which mutants are tried; created by `trials`."""

    def __init__(self, copy: Path, postgres: Postgres) -> None:
        self._copy = copy
        self._postgres = postgres
        self._given: dict[str, object] = {"postgres": postgres}
        self._number = 0
        if self._forked(self._make_template, _FIRST_SECONDS)[0] != 0:
            raise RuntimeError(f"no database could be made; {self._log.read_text()[-2000:]}")
        self._given["template"] = "template"

    @property
    def _log(self) -> Path:
        return self._copy.with_name("trial.log")

    def run(self, mutant: Mutant | None, tests: Sequence[str], seconds: float) -> Outcome:
        """Try a mutant, or the unchanged code, on tests that took `seconds` together when they were measured."""
        if mutant is None:
            return self._run(tests, seconds, self._given)
        path = self._copy / mutant.path
        source, before = path.read_bytes(), path.stat()
        path.write_bytes(mutant.apply(source))
        self._number += 2
        os.utime(path, (before.st_atime, before.st_mtime + self._number))  # else an equally long pyc would count
        try:
            is_of_template = path.parent.name == "store" and path.name in _OF_TEMPLATE
            return self._run(tests, seconds, {} if is_of_template else self._given)
        finally:
            path.write_bytes(source)
            os.utime(path, (before.st_atime, before.st_mtime))

    def _run(self, tests: Sequence[str], seconds: float, given: Mapping[str, object]) -> Outcome:
        code, failed = self._forked(lambda pipe: _pytest(tests, _Given(given, pipe)), _FIRST_SECONDS + _TIMES * seconds)
        self._drop_databases()
        return Outcome(code == 0, failed or None, code is None)

    def _forked(self, work: Any, seconds: float) -> tuple[int | None, str]:
        """Run `work` in a fork, and return its exit code and the first line that it wrote to its pipe.

        The exit code is None if it took too long.
        """
        told, tell = os.pipe()
        child = os.fork()
        if child == 0:
            code = 99
            try:
                os.setsid()
                self._enter()
                code = work(tell)
            finally:
                os._exit(code)
        os.close(tell)
        watched = os.pidfd_open(child)
        ended = bool(select.select([watched], [], [], seconds)[0])
        os.close(watched)
        try:
            os.killpg(child, signal.SIGKILL)  # what it has started, too
        except ProcessLookupError:
            pass
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with os.fdopen(told) as pipe:
            return (status if ended else None), pipe.read().partition("\n")[0]

    def _enter(self) -> None:
        """Make this process one of the copy, which has imported nothing from the original tree."""
        log = os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(log, 1)
        os.dup2(log, 2)
        for name in [name for name in sys.modules if name.partition(".")[0] in _OURS]:
            del sys.modules[name]
        sys.path[:] = [str(self._copy), *(each for each in sys.path if Path(each).resolve() != ROOT)]
        os.environ["PYTHONPATH"] = str(self._copy)
        os.chdir(self._copy)

    def _make_template(self, pipe: int) -> int:
        from service.store.migrate import upgrade
        from tests.support.databases import as_service

        with psycopg.connect(self._postgres.url, autocommit=True) as connection:
            connection.execute("CREATE DATABASE template")
        upgrade(self._postgres.url_of("template"), as_service(self._postgres.url_of("template")))
        return 0

    def _drop_databases(self) -> None:
        """Drop the databases that tests left behind when they were killed."""
        with psycopg.connect(self._postgres.url, autocommit=True) as connection:
            for (name,) in connection.execute("SELECT datname FROM pg_database").fetchall():
                if name not in _STANDING:
                    connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def _pytest(tests: Sequence[str], given: _Given) -> int:
    argv = ["-x", "-q", "-p", "no:cacheprovider", "-n", "0", "--no-header", *tests]
    return int(pytest.main(argv, plugins=[given]))


@contextmanager
def trials() -> Iterator[Trials]:
    """Yield trials on a copy of the tree with a running Postgres; remove both at the end."""
    for library in _LIBRARIES:
        importlib.import_module(library)
    gc.collect()
    gc.freeze()
    folder = Path(tempfile.mkdtemp(prefix="nova-luna-mutate-"))
    folder.chmod(0o711)
    hasty = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "autovacuum": "off"}
    try:
        copy = folder / "tree"
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            check=True,
        )
        for name in filter(None, listed.stdout.decode().split("\0")):
            if (ROOT / name).is_file():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, copy / name)
        with Postgres(folder / "postgres", settings=hasty | {"max_connections": "200"}) as postgres:
            yield Trials(copy, postgres)
    finally:
        shutil.rmtree(folder)
