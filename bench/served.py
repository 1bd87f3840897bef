"""What is measured over HTTP: a Postgres of the project's own with fsync on, and web servers with one configuration."""

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

PROCESSES = 2
_READY_SECONDS = 60.0


class Database(NamedTuple):
    """A migrated database: its address as its owner, and as the role that the service works as; a folder that goes with
    it, and the number of its Postgres' first process."""

    url: str
    service_url: str
    folder: Path
    pid: int


class Web(NamedTuple):
    """A web server: its port on this machine, and the number of its first process."""

    port: int
    pid: int


@contextmanager
def database(settings: Mapping[str, str] | None = None) -> Iterator[Database]:
    """An empty database as `novaluna up` makes it, with further settings of Postgres if need be."""
    folder = Path(tempfile.mkdtemp(prefix="nova-luna-bench-"))
    folder.chmod(0o711)  # as root, Postgres runs as another account
    try:
        with Postgres(folder / "data", settings={"max_connections": "200", **(settings or {})}) as postgres:
            upgrade(postgres.url, postgres.service_url)
            assert postgres.process is not None
            yield Database(postgres.url, postgres.service_url, folder, postgres.process.pid)
    finally:
        rmtree(folder, ignore_errors=True)


@contextmanager
def connected(database_url: str) -> Iterator[Engine]:
    """A way to the database for whoever measures; no connection is left behind."""
    engine = create_engine(engine_url(database_url), connect_args={"options": "-c timezone=UTC"})
    try:
        yield engine
    finally:
        engine.dispose()


def settle(engine: Engine) -> None:
    """Does now what would otherwise be done in the midst of measuring."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        # VACUUM takes what is not on the disk yet for not committed yet, and what it does itself can be that too.
        for statement in ("SET synchronous_commit = on", "CHECKPOINT", "VACUUM ANALYZE", "CHECKPOINT"):
            connection.exec_driver_sql(statement)


@contextmanager
def gunicorn(app: str, kind: str, database: Database) -> Iterator[Web]:
    """Serves an application with the service's own settings of gunicorn, two processes of this kind.

    `kind` is "gevent", as the service is run (with its own worker of that kind), or "gthread" or "sync", which are
    gunicorn's own.
    """
    environ = {name: os.environ[name] for name in ("HOME", "PATH", "TMPDIR") if name in os.environ}
    environ |= {
        "DATABASE_URL": database.service_url,
        "NOVALUNA_SECRET_KEY": "for-measurements-only-and-32-characters-long",
        "NOVALUNA_DATA": str(database.folder),
        "NOVALUNA_WEB_PROCESSES": str(PROCESSES),
    }
    environ |= dict.fromkeys((name for name in KNOWN if name.startswith("NOVALUNA_LIMIT_")), "0")
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
    """Returns once a request is answered. (The socket listens from the beginning, so the first one waits.)"""
    connection = HTTPConnection("127.0.0.1", port, timeout=_READY_SECONDS)
    try:
        connection.request("GET", "/")
        connection.getresponse().read()
    finally:
        connection.close()
