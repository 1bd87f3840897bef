"""The web server under clients that are slow, many or too many, over real connections.

The service stands before a database that takes connections and says nothing, so that requests to it hold a thread.
"""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

import pytest

from tests.at_once import at_once
from tests.metrics import told
from tests.running import eventually, free_port
from tests.web import KEYS

pytestmark = pytest.mark.xdist_group("web worker")  # one process for its servers

PATIENCE = 120.0
"""Seconds for an answer on a machine that has much else to do."""

THREADS = 2
QUEUED = THREADS * 8

TILES = b"GET /v1/tiles HTTP/1.1\r\nHost: x\r\n\r\n"
SIGN_IN = b'{"email": "ann@example.org"}'

RUN = """
from service import web_worker
from service.store import connecting
from gunicorn.app.wsgiapp import run
connecting.CONNECT_SECONDS = 60
"""
SHORT = """
web_worker.REQUEST_SECONDS = 1.0
web_worker.ANSWER_SECONDS = 0.5
"""


@dataclass(frozen=True)
class Server:
    """A running web server."""

    port: int
    log: Path
    metrics: int

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def ask(self, method: str = "GET", path: str = "/v1/tiles", body: Any = None, **headers: str) -> tuple[int, Any]:
        """Status and body of a request on a connection of its own."""
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as connection:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read() or b"null")

    def serves(self, path: str = "/v1/tiles") -> bool:
        """Whether it does. One that waits for nothing long cuts off the answer for which a busy machine had no time."""
        try:
            return self.ask("GET", path)[0] == 200
        except (ConnectionError, HTTPException):
            return False

    def is_refused(self) -> tuple[int, str, str | None]:
        """Status, code and Retry-After of a sign-in."""
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as connection:
            connection.request("POST", "/v1/sign-ins", SIGN_IN, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())["code"], answer.headers["Retry-After"]


def serve(folder: Path, database: int, changes: str = "") -> Iterator[Server]:
    environ = {name: os.environ[name] for name in ("HOME", "PATH") if name in os.environ}
    metrics = free_port()
    environ |= {
        "TMPDIR": str(folder),
        "NOVALUNA_METRICS_PORT": str(metrics),
        "DATABASE_URL": f"postgresql://nova@127.0.0.1:{database}/nova",
        "NOVALUNA_SECRET_KEY": KEYS[0].replace(" ", "-"),
        "NOVALUNA_DATA": str(folder),
        "NOVALUNA_WEB_PROCESSES": "1",
        "NOVALUNA_WEB_THREADS": str(THREADS),
    }
    with socket.create_server(("127.0.0.1", 0), backlog=512) as listener, (folder / "log").open("wb") as log:
        arguments = ["-c", "python:service.gunicorn_conf", "--bind", f"fd://{listener.fileno()}", "service.wsgi:app"]
        process = subprocess.Popen(
            [sys.executable, "-c", RUN + changes + "run()", *arguments],
            env=environ,
            stdout=log,
            stderr=log,
            pass_fds=(listener.fileno(),),
        )
        try:
            server = Server(listener.getsockname()[1], folder / "log", metrics)
            eventually(lambda: server.serves("/healthz"), PATIENCE)
            yield server
        finally:
            process.terminate()
            assert process.wait(PATIENCE) == 0


@pytest.fixture(scope="module")
def silence() -> Iterator[socket.socket]:
    """A database that takes connections and never says anything."""
    with socket.create_server(("127.0.0.1", 0), backlog=512) as listener:
        listener.settimeout(PATIENCE)
        yield listener


@pytest.fixture(scope="module")
def server(silence: socket.socket, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    yield from serve(tmp_path_factory.mktemp("served"), silence.getsockname()[1])


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One that waits for nothing long, without a database."""
    yield from serve(tmp_path_factory.mktemp("hasty"), free_port(), SHORT)


SLOW = [
    b"",
    b"GET /v1/til",
    b"POST /v1/sign-ins HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{",
    b"POST /v1/sign-ins HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
]


def test_clients_that_send_slowly_hold_no_thread(server: Server) -> None:
    with ExitStack() as stack:
        for sent in SLOW * (10 * THREADS):
            stack.enter_context(server.connect()).sendall(sent)
        assert server.ask()[0] == 200
        assert server.ask()[0] == 200


def test_a_request_may_come_in_pieces(server: Server) -> None:
    with server.connect() as connection:
        for byte in TILES[:-1]:
            connection.sendall(bytes([byte]))
        assert server.ask()[0] == 200
        connection.sendall(TILES[-1:] + TILES)  # and the next one right behind it
        received = b""
        while received.count(b"HTTP/1.1 200 OK") < 2:
            received += connection.recv(65_536)


def test_a_client_that_waits_to_be_invited_is(server: Server) -> None:
    with server.connect() as connection:
        head = b"POST /v1/sign-ins HTTP/1.1\r\nContent-Type: text/plain\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
        connection.sendall(head)
        assert connection.recv(65_536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b"{}")
        assert connection.recv(65_536).startswith(b"HTTP/1.1 415 ")


def test_a_body_that_is_too_large_is_refused_and_the_answer_arrives(server: Server) -> None:
    for size in (70_000, 3_000_000):
        refused = server.ask("POST", "/v1/sign-ins", b" " * size, **{"Content-Type": "application/json"})
        assert (refused[0], refused[1]["code"]) == (413, "body_too_large")
        chunks = iter([b" " * 1000] * (size // 1000))
        refused = server.ask("POST", "/v1/sign-ins", chunks, **{"Content-Type": "application/json"})
        assert (refused[0], refused[1]["code"]) == (413, "body_too_large")


def test_more_than_can_be_done_is_refused_and_health_stays(server: Server, silence: socket.socket) -> None:
    overloaded = (503, "overloaded", "2")
    with ExitStack() as stack:
        holding = [stack.enter_context(server.connect()) for _ in range(THREADS)]
        head = b"POST /v1/sign-ins HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 28\r\n\r\n"
        for connection in holding:
            connection.sendall(head + SIGN_IN)
        asked = [silence.accept()[0] for _ in range(THREADS)]  # all threads are busy from here on
        queued = [stack.enter_context(server.connect()) for _ in range(QUEUED)]
        for connection in queued:
            connection.sendall(TILES)
        assert at_once(*[server.is_refused] * 4) == [overloaded] * 4
        assert server.ask("GET", "/healthz") == (200, {"status": "ok"})
        assert server.ask("HEAD", "/healthz") == (200, None)
        assert server.ask("HEAD", "/v1/tiles") == (503, None)
        for connection in queued:
            assert b'"code": "overloaded"' in connection.recv(65_536)  # after a second
        silence.close()
        for connection in asked:  # the database ends
            connection.close()
        assert all(connection.recv(65_536).startswith(b"HTTP/1.1 503 ") for connection in holding)
    assert server.ask()[0] == 200

    def refused() -> int:
        return sum(json.loads(line).get("refused", 0) for line in server.log.read_text().splitlines())

    eventually(lambda: refused() >= QUEUED + 5)  # they are told of all in one, a moment later
    lines = told(server.metrics).splitlines()
    assert f"novaluna_overloaded_total {refused():.1f}" in lines
    assert "novaluna_database_up 0.0" in lines


def test_what_takes_too_long_is_ended(hasty: Server) -> None:
    with ExitStack() as stack:
        slow = [stack.enter_context(hasty.connect()) for _ in SLOW]
        for connection, sent in zip(slow, SLOW, strict=True):
            connection.sendall(sent)
        received = [connection.recv(65_536) for connection in slow]
    assert received[0] == b""
    for answer in received[1:]:
        assert answer.startswith(b"HTTP/1.1 408 ")
        assert b'"code": "request_timeout"' in answer


def test_clients_that_read_nothing_hold_no_thread(hasty: Server) -> None:
    with ExitStack() as stack:
        for _ in range(4 * THREADS):
            client = stack.enter_context(socket.socket())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            client.connect(("127.0.0.1", hasty.port))
            client.sendall(b"GET /openapi.json HTTP/1.1\r\n\r\n" * 20)
        eventually(hasty.serves)


def test_when_all_connections_are_taken_the_idlest_makes_room(server: Server) -> None:
    with ExitStack() as stack:
        idle = [stack.enter_context(server.connect()) for _ in range(820)]
        eventually(lambda: server.ask()[0] == 200)
        assert idle[0].recv(1) == b""
        idle[-1].sendall(TILES)
        assert idle[-1].recv(65_536).startswith(b"HTTP/1.1 200 ")
