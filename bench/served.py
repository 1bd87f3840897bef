"""The servers for measurements over HTTP: an embedded Postgres with fsync on, and web servers of one configuration."""

import os
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from shutil import rmtree
from typing import NamedTuple

from sqlalchemy import Engine, create_engine

from service.config import KNOWN
from service.local.child import spawn
from service.local.postgres import Postgres
from service.store.base import engine_url
from service.store.migrate import upgrade

SECRET_KEY = "for-measurements-only-and-32-characters-long"

PROCESSES = 2
_READY_SECONDS = 60.0


class Database(NamedTuple):
    """A migrated database.

    Attributes:
        url: its URL as its owner.
        service_url: its URL as the role of the service.
        folder: a folder for files that go with it.
        pid: the process id of its postmaster.
    """

    url: str
    service_url: str
    folder: Path
    pid: int


class Web(NamedTuple):
    """A web server: its port on this machine, and the process id of its first process."""

    port: int
    pid: int


@contextmanager
def database(settings: Mapping[str, str] | None = None) -> Iterator[Database]:
    """Run an empty database during the block, as `novaluna up` creates it, with further Postgres settings if given."""
    folder = Path(tempfile.mkdtemp(prefix="nova-luna-bench-"))
    folder.chmod(0o711)  # under root, Postgres runs as another account
    try:
        with Postgres(folder / "data", settings={"max_connections": "200", **(settings or {})}) as postgres:
            upgrade(postgres.url, postgres.service_url)
            assert postgres.process is not None
            yield Database(postgres.url, postgres.service_url, folder, postgres.process.pid)
    finally:
        rmtree(folder, ignore_errors=True)


@contextmanager
def connected(database_url: str) -> Iterator[Engine]:
    """Yield an SQLAlchemy engine for the benchmark, and close all its connections afterwards."""
    engine = create_engine(engine_url(database_url), connect_args={"options": "-c timezone=UTC"})
    try:
        yield engine
    finally:
        engine.dispose()


def settle(engine: Engine) -> None:
    """Run now the maintenance that would otherwise fall into the measurement."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        # VACUUM treats what is not on disk yet as uncommitted, and that can include its own work.
        for statement in ("SET synchronous_commit = on", "CHECKPOINT", "VACUUM ANALYZE", "CHECKPOINT"):
            connection.exec_driver_sql(statement)


@contextmanager
def gunicorn(app: str, kind: str, database: Database, more: Mapping[str, str] | None = None) -> Iterator[Web]:
    """Serve an application with the service's gunicorn settings and two processes.

    Args:
        app: the application.
        kind: "gevent", the service's own worker, or "gthread" or "sync", which are gunicorn's.
        database: its database.
        more: further settings.
    """
    environ = {name: os.environ[name] for name in ("HOME", "PATH", "TMPDIR") if name in os.environ}
    environ |= {
        "DATABASE_URL": database.service_url,
        "NOVALUNA_SECRET_KEY": SECRET_KEY,
        "NOVALUNA_DATA": str(database.folder),
        "NOVALUNA_WEB_PROCESSES": str(PROCESSES),
    }
    environ |= dict.fromkeys((name for name in KNOWN if name.startswith("NOVALUNA_LIMIT_")), "0")
    environ |= more or {}
    workers = {
        "gevent": [],
        "gthread": ["--worker-class", "gthread"],
        "sync": ["--worker-class", "sync", "--threads", "1"],
    }
    with (
        socket.create_server(("127.0.0.1", 0), backlog=512) as listener,
        (database.folder / "web.log").open("ab") as log,
    ):
        port: int = listener.getsockname()[1]
        bind = ["--bind", f"fd://{listener.fileno()}", *workers[kind]]
        server = spawn(
            [sys.executable, "-m", "gunicorn", "-c", "python:service.gunicorn_conf", *bind, app],
            env=environ,
            last_signal=signal.SIGKILL,
            stdout=log,
            pass_fds=(listener.fileno(),),
        )
        try:
            _await(port)
            yield Web(port, server.pid)
        finally:
            server.terminate()
            server.wait()


def _await(port: int) -> None:
    """Wait until a request is answered; the socket listens from the start, so the first request waits."""
    connection = HTTPConnection("127.0.0.1", port, timeout=_READY_SECONDS)
    try:
        connection.request("GET", "/")
        connection.getresponse().read()
    finally:
        connection.close()
