"""What is measured over HTTP: a Postgres of the project's own with fsync on, and web servers with one configuration."""

import os
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from shutil import rmtree

from service.local.child import spawn
from service.local.postgres import Postgres
from service.store.migrate import upgrade

PROCESSES = 2
_READY_SECONDS = 60.0


@contextmanager
def database() -> Iterator[tuple[str, Path]]:
    """A migrated, empty database as `novaluna up` makes it, and a folder that goes with it."""
    folder = Path(tempfile.mkdtemp(prefix="nova-luna-bench-"))
    folder.chmod(0o711)  # as root, Postgres runs as another account
    try:
        with Postgres(folder / "data", settings={"max_connections": "200"}) as postgres:
            upgrade(postgres.url)
            yield postgres.url, folder
    finally:
        rmtree(folder, ignore_errors=True)


@contextmanager
def gunicorn(app: str, kind: str, database_url: str, folder: Path) -> Iterator[int]:
    """Serves an application with the service's own settings of gunicorn, two processes of this kind; gives its port.

    `kind` is "gthread", as the service is run (with its own worker of that kind), or "sync".
    """
    environ = {name: os.environ[name] for name in ("HOME", "PATH", "TMPDIR") if name in os.environ}
    environ |= {
        "DATABASE_URL": database_url,
        "NOVALUNA_SECRET_KEY": "for-measurements-only-and-32-characters-long",
        "NOVALUNA_DATA": str(folder),
        "NOVALUNA_WEB_PROCESSES": str(PROCESSES),
    }
    workers = ["--worker-class", "sync", "--threads", "1"] if kind == "sync" else []
    with socket.create_server(("127.0.0.1", 0), backlog=512) as listener, (folder / "web.log").open("ab") as log:
        port: int = listener.getsockname()[1]
        bind = ["--bind", f"fd://{listener.fileno()}", *workers]
        server = spawn(
            [sys.executable, "-m", "gunicorn", "-c", "python:service.gunicorn_conf", *bind, app],
            env=environ,
            last_signal=signal.SIGKILL,
            stdout=log,
            pass_fds=(listener.fileno(),),
        )
        try:
            _await(port)
            yield port
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
