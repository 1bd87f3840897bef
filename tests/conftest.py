"""What all tests share: a Postgres started by our own launcher, a fresh database for each test, and `--drill`."""

import gc
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from gettext import NullTranslations
from itertools import count
from pathlib import Path

import psycopg
import pytest
import structlog
from hypothesis import HealthCheck, settings
from psycopg import sql

from service.language.languages import CODES, language
from service.local.cluster import SERVICE, USER
from service.local.postgres import Postgres

_numbers = count(1)
_ROOM = 2 * 1024**3

# How long an example takes, or is in the making, says something of the machine, nothing of the code.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

# As by default, but without the pictures of stacks: to draw one takes longer than most tests.
structlog.configure(
    processors=[
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback),
    ]
)


class _Misses(NullTranslations):
    """What a catalog falls back to in tests: a message that it lacks is an error, not a sentence in English."""

    def gettext(self, message: str) -> str:
        raise LookupError(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        raise LookupError(msgid1)


for _code in CODES[1:]:
    language(_code).catalog.add_fallback(_Misses())


def as_service(owner_url: str) -> str:
    """The address of a database of these tests as the role that the service works as."""
    return owner_url.replace(f"//{USER}@", f"//{SERVICE}@")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--drill", action="store_true", help="run the drills in full, not a small part of each")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--drill"):
        for item in items:
            if item.get_closest_marker("long"):
                item.add_marker(pytest.mark.skip(reason="takes long, so it runs in `make drill` alone"))


def pytest_collection_finish() -> None:
    """What was imported and collected stays to the end: a sixth of the time went into looking there for garbage."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def amount(request: pytest.FixtureRequest) -> Callable[..., int]:
    """How often a drill repeats: the given number with ``--drill``, else a second number, or a tenth, rounded up."""
    full = request.config.getoption("--drill")
    return lambda number, few=None: number if full else few or -(-number // 10)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A temporary folder that everybody may pass, as a data folder must be under root. (``tmp_path`` is closed.)"""
    folder = Path(tempfile.mkdtemp(prefix="nova-luna-test-"))
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder)


def in_memory() -> str | None:
    """A folder for temporary files that is no disk, if there is one with room.

    None: wherever such files go by default. A database there is made in a sixth of the time.
    """
    memory = Path("/dev/shm")
    there = os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > _ROOM
    return str(memory) if there else None


@pytest.fixture(scope="session")
def postgres(request: pytest.FixtureRequest) -> Iterator[Postgres]:
    """A running Postgres for the tests of this process.

    Nothing in it need survive, so it doesn't wait for the disk, and what it does by itself at any minute (other plans,
    a process in each database) it doesn't do. In full length there is too much in it for memory, and to be left lying.
    """
    is_full = request.config.getoption("--drill")
    folder = Path(tempfile.mkdtemp(prefix="nova-luna-tests-", dir=None if is_full else in_memory()))
    hasty = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_connections": "200"}
    if not is_full:
        hasty["autovacuum"] = "off"
    with Postgres(folder, settings=hasty) as running:
        yield running
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def template(postgres: Postgres) -> str:
    """The name of a migrated database that others are copied from."""
    from service.store.migrate import upgrade  # here: tests of the engine need neither it nor a database

    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE template")
    upgrade(postgres.url_of("template"), as_service(postgres.url_of("template")))
    return "template"


@pytest.fixture
def database_url(owner_url: str) -> str:
    """The DATABASE_URL of a migrated, empty database for this test alone, as the role that the service works as."""
    return as_service(owner_url)


@pytest.fixture
def owner_url(postgres: Postgres, template: str) -> Iterator[str]:
    """The same database as the role that owns its tables: for what the service may not do."""
    name = f"test_{next(_numbers)}"
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        make = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
        connection.execute(make.format(sql.Identifier(name), sql.Identifier(template)))
        yield postgres.url_of(name)
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
