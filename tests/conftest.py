"""Fixtures of all tests: a Postgres run by our own launcher, and a fresh database for each test."""

import gc
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from gettext import NullTranslations
from itertools import count
from pathlib import Path

import psycopg
import psycopg.conninfo
import pytest
import structlog
from hypothesis import HealthCheck, settings
from psycopg import sql

from service.language.languages import CODES, language
from service.local.postgres import Postgres
from tests.support.databases import as_service
from tests.support.reused_database import ReusedDatabase

pytest_plugins = (
    "tests.support.app_fixtures",
    "tests.support.by_module",
    "tests.support.database_fixtures",
    "tests.support.drill_lengths",
    "tests.support.shared_service",
)
"""The fixtures that tests of several packages share, how tests are shared out, and how long a drill takes."""

_numbers = count(1)
_ROOM = 2 * 1024**3

# Until all tests are collected: until then there is no garbage, and looking for it takes a fifth of the time.
gc.disable()

# The time that an example takes depends on the machine, not on the code.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

# A logger that is cached would keep the configuration of one test in all that follow.
structlog.configure = partial(
    lambda configure, **given: configure(**given | {"cache_logger_on_first_use": False}), structlog.configure
)

# The defaults, but with plain tracebacks: rich ones take longer to render than most tests run.
structlog.configure(
    processors=[
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback),
    ]
)


class _Misses(NullTranslations):
    """A fallback for catalogs in tests: a missing message is an error instead of an English sentence."""

    def gettext(self, message: str) -> str:
        raise LookupError(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        raise LookupError(msgid1)


for _code in CODES[1:]:
    language(_code).catalog.add_fallback(_Misses())


def pytest_collection_finish() -> None:
    """Freeze everything imported and collected: a sixth of the time went into scanning it for garbage.

    The rest is collected as seldom as in the web server.
    """
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)
    gc.enable()


@pytest.fixture(autouse=True)
def _logging_stays() -> Iterator[None]:
    """Hold that a test leaves logging as it was: what a command had set would hide lines from later tests."""
    before = structlog.get_config()
    yield
    assert structlog.get_config() == before, "logging was set up anew: use tests.support.log_setup.kept"


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Yield a temporary folder that every account may enter, as a data folder must be under root.

    ``tmp_path`` is closed to others.
    """
    folder = Path(tempfile.mkdtemp(prefix="nova-luna-test-"))
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder)


def in_memory() -> str | None:
    """Return a folder for temporary files in memory, if there is one with enough room; None: the default folder.

    A database there is created in a sixth of the time.
    """
    memory = Path("/dev/shm")
    there = os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > _ROOM
    return str(memory) if there else None


@pytest.fixture(scope="session")
def postgres(request: pytest.FixtureRequest) -> Iterator[Postgres]:
    """Yield a running Postgres for the tests of this process.

    Nothing in it has to survive, so it does not wait for the disk, and it runs no maintenance of its own, which would
    change query plans at any moment. Full drills write too much for memory, and their files are removed.
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
    """Return the name of a migrated database that others are copied from."""
    from service.store.migrate import upgrade  # here: tests of the engine need neither it nor a database

    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE template")
    upgrade(postgres.url_of("template"), as_service(postgres.url_of("template")))
    return "template"


@pytest.fixture(scope="session")
def maintenance(postgres: Postgres) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    """Yield the connection that creates databases; a new one for each would take half as long as creating one."""
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        yield connection


@pytest.fixture(scope="session")
def create_database(
    postgres: Postgres, template: str, maintenance: psycopg.Connection[tuple[object, ...]]
) -> Callable[[], str]:
    """Return a function that creates a migrated, empty database, and returns its URL as the owner of its tables."""
    make = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy")  # in half the time of the usual one

    def create() -> str:
        name = f"test_{next(_numbers)}"
        maintenance.execute(make.format(sql.Identifier(name), sql.Identifier(template)))
        return postgres.url_of(name)

    return create


@pytest.fixture(scope="session")
def drop_database(maintenance: psycopg.Connection[tuple[object, ...]]) -> Callable[[str], None]:
    """Return a function that drops the database with this URL, whoever uses it."""

    def drop(url: str) -> None:
        name = sql.Identifier(str(psycopg.conninfo.conninfo_to_dict(url)["dbname"]))
        maintenance.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))

    return drop


@pytest.fixture(scope="session")
def reused_database(
    create_database: Callable[[], str], drop_database: Callable[[str], None]
) -> Iterator[ReusedDatabase]:
    """Yield the database of the tests that can't change more than its rows."""
    reused = ReusedDatabase(create_database, drop_database)
    yield reused
    reused.close()


@pytest.fixture
def owner_url(create_database: Callable[[], str], drop_database: Callable[[str], None]) -> Iterator[str]:
    """Yield the URL of this test's database for the role that owns its tables.

    A test that asks for it, or whose fixtures do, has a database of its own.
    """
    url = create_database()
    yield url
    drop_database(url)


@pytest.fixture
def database_url(request: pytest.FixtureRequest) -> str:
    """Return the URL of a migrated, empty database for this test alone, for the role that the service uses."""
    if "owner_url" in request.fixturenames:
        return as_service(request.getfixturevalue("owner_url"))
    return as_service(request.getfixturevalue("reused_database").emptied())
