"""A web server in processes of its own, and functions that read its answers."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path
from typing import Any

from tests.support.running import eventually, free_port
from tests.support.web import KEYS

PATIENCE = 120.0
"""How many seconds an answer may take on a busy machine."""

PLACES = 2

TILES = b"GET /v1/tiles HTTP/1.1\r\nHost: x\r\n\r\n"
SIGN_IN = b'{"email": "ann@example.org"}'

RUN = """
from service.webserver import connection
from service.store import connecting
from gunicorn.app.wsgiapp import run
connecting.CONNECT_SECONDS = 60
"""


@dataclass(frozen=True)
class Server:
    """A running web server."""

    port: int
    log: Path
    metrics: int
    pid: int

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def ask(self, method: str = "GET", path: str = "/v1/tiles", body: Any = None, **headers: str) -> tuple[int, Any]:
        """Send a request on a connection of its own, and return the status and the body of the answer."""
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as connection:
            if isinstance(body, dict):
                body, headers = json.dumps(body), headers | {"Content-Type": "application/json"}
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read() or b"null")

    def read(self, path: str, **headers: str) -> bytes:
        """Send a GET, and return the body of the answer."""
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as connection:
            connection.request("GET", path, headers=headers)
            return connection.getresponse().read()

    def serves(self, path: str = "/v1/tiles") -> bool:
        """Return whether the server answers this path with 200.

        A server with short timeouts cuts off an answer that a busy machine had no time for.
        """
        try:
            return self.ask("GET", path)[0] == 200
        except (ConnectionError, HTTPException):
            return False

    def tell(self, sent: bytes) -> list[tuple[int, Any]]:
        """Send these bytes, and return status and body of each answer until the server closes the connection."""
        with self.connect() as connection:
            connection.sendall(sent)
            return read_all(connection)

    def processes(self) -> list[int]:
        """Return the ids of the worker processes that are running."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        return [int(child) for child in children]

    def is_refused(self) -> tuple[int, str, str | None]:
        """Try to sign in, and return the status, the code and the Retry-After of the answer."""
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as connection:
            connection.request("POST", "/v1/sign-ins", SIGN_IN, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())["code"], answer.headers["Retry-After"]


def read_one(connection: socket.socket, method: str = "GET") -> tuple[int, Any]:
    """Read the next answer and not a byte more, and return its status and body."""
    answer = HTTPResponse(Unbuffered(connection), method=method)  # type: ignore[arg-type]  # all that it calls
    answer.begin()
    return answer.status, json.loads(answer.read() or b"null")


def read_all(connection: socket.socket) -> list[tuple[int, Any]]:
    answers = []
    while connection.recv(1, socket.MSG_PEEK):
        answers.append(read_one(connection))
    return answers


@dataclass(frozen=True)
class Unbuffered:
    """A connection that `HTTPResponse` reads without a buffer."""

    connection: socket.socket

    def makefile(self, mode: str) -> Any:
        return self.connection.makefile("rb", buffering=0)


def serve(folder: Path, database: int | str, changes: str = "", app: str = "service.wsgi:app") -> Iterator[Server]:
    environ = {name: os.environ[name] for name in ("HOME", "PATH") if name in os.environ}
    metrics = free_port()
    environ |= {
        "TMPDIR": str(folder),
        "NOVALUNA_METRICS_PORT": str(metrics),
        "DATABASE_URL": database if isinstance(database, str) else f"postgresql://nova@127.0.0.1:{database}/nova",
        "NOVALUNA_SECRET_KEY": KEYS[0].replace(" ", "-"),
        "NOVALUNA_DATA": str(folder),
        "NOVALUNA_LIMIT_REQUESTS_PER_IP": "0",  # what is counted in a database that does not answer waits for it
        "NOVALUNA_WEB_PROCESSES": "1",
        "NOVALUNA_WEB_THREADS": str(PLACES),
    }
    with socket.create_server(("127.0.0.1", 0), backlog=512) as listener, (folder / "log").open("wb") as log:
        arguments = ["-c", "python:service.gunicorn_conf", "--bind", f"fd://{listener.fileno()}", app]
        process = subprocess.Popen(
            [sys.executable, "-c", RUN + changes + "run()", *arguments],
            env=environ,
            stdout=log,
            stderr=log,
            pass_fds=(listener.fileno(),),
        )
        try:
            server = Server(listener.getsockname()[1], folder / "log", metrics, process.pid)
            eventually(lambda: server.serves("/healthz"), PATIENCE)
            yield server
        finally:
            process.terminate()
            assert process.wait(PATIENCE) == 0
