"""The web server with clients that are slow, many or too many, over real connections.

The service's database takes connections and never answers, so that a request to it occupies its place.
"""

import json
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.support.at_once import at_once
from tests.support.metrics import told
from tests.support.running import eventually, free_port
from tests.unit.webserver.web_server import PATIENCE, PLACES, SIGN_IN, TILES, Server, read_all, read_one, serve

pytestmark = pytest.mark.xdist_group("web server")  # one process for its servers

QUEUED = PLACES * 8

SHORT = """
connection.HEAD_SECONDS = 1.0
connection.SEND_SECONDS = 0.5
from service import gunicorn_conf
gunicorn_conf.worker_connections = 40
gunicorn_conf.timeout = 4
"""
MOST_CONNECTIONS = 40


@pytest.fixture(scope="module")
def silence() -> Iterator[socket.socket]:
    """Listen as a database that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=512) as listener:
        listener.settimeout(PATIENCE)
        yield listener


@pytest.fixture(scope="module")
def server(silence: socket.socket, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    yield from serve(tmp_path_factory.mktemp("served"), silence.getsockname()[1])


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Run a server with short timeouts, without a database."""
    yield from serve(tmp_path_factory.mktemp("hasty"), free_port(), SHORT)


SLOW = [
    b"",
    b"GET /v1/til",
    b"POST /v1/sign-ins HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{",
    b"POST /v1/sign-ins HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
]


@pytest.mark.slow
def test_clients_that_send_slowly_hold_no_thread(server: Server) -> None:
    with ExitStack() as stack:
        for sent in SLOW * (10 * PLACES):
            stack.enter_context(server.connect()).sendall(sent)
        assert server.ask()[0] == 200
        assert server.ask()[0] == 200


@pytest.mark.slow
def test_a_client_that_waits_to_be_invited_is(server: Server) -> None:
    with server.connect() as connection:
        head = b"POST /v1/sign-ins HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n"
        head += b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n"
        connection.sendall(head)
        assert connection.recv(65_536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b"{}")
        assert connection.recv(65_536).startswith(b"HTTP/1.1 415 ")


@pytest.mark.slow
def test_a_body_that_is_too_large_is_refused_and_the_answer_arrives(server: Server) -> None:
    for size in (70_000, 3_000_000):
        refused = server.ask("POST", "/v1/sign-ins", b" " * size, **{"Content-Type": "application/json"})
        assert (refused[0], refused[1]["code"]) == (413, "body_too_large")
        chunks = iter([b" " * 1000] * (size // 1000))
        refused = server.ask("POST", "/v1/sign-ins", chunks, **{"Content-Type": "application/json"})
        assert (refused[0], refused[1]["code"]) == (413, "body_too_large")


@pytest.mark.slow
def test_more_than_can_be_done_is_refused_and_health_stays(server: Server, silence: socket.socket) -> None:
    overloaded = (503, "overloaded", "2")
    with ExitStack() as stack:
        holding = [stack.enter_context(server.connect()) for _ in range(PLACES)]
        head = b"POST /v1/sign-ins HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 28\r\n\r\n"
        for connection in holding:
            connection.sendall(head + SIGN_IN)
        asked = [silence.accept()[0] for _ in range(PLACES)]  # all threads are busy from here on
        queued = [stack.enter_context(server.connect()) for _ in range(QUEUED)]
        for connection in queued:
            connection.sendall(TILES)
        assert at_once(*[server.is_refused] * 4) == [overloaded] * 4
        assert server.ask("GET", "/healthz") == (200, {"status": "ok"})
        assert server.ask("HEAD", "/healthz") == (200, None)
        assert server.ask("HEAD", "/v1/tiles") == (503, None)
        assert [server.ask("OPTIONS", path) for path in ("/v1/tiles", "*")] == [(204, None)] * 2
        for connection in queued:
            status, problem = read_one(connection)  # after a second
            assert (status, problem["code"]) == (503, "overloaded")
        silence.close()
        for connection in asked:  # the database ends
            connection.close()
        assert all(connection.recv(65_536).startswith(b"HTTP/1.1 503 ") for connection in holding)
    assert server.ask()[0] == 200

    def refused() -> int:
        return sum(json.loads(line).get("refused", 0) for line in server.log.read_text().splitlines())

    eventually(lambda: refused() >= QUEUED + 5)  # they are counted together, a moment later
    lines = told(server.metrics).splitlines()
    assert f"novaluna_overloaded_total {refused():.1f}" in lines
    assert "novaluna_database_up 0.0" in lines


@pytest.mark.slow
def test_what_takes_too_long_is_ended(hasty: Server) -> None:
    with ExitStack() as stack:
        slow = [stack.enter_context(hasty.connect()) for _ in SLOW]
        for connection, sent in zip(slow, SLOW, strict=True):
            connection.sendall(sent)
        assert read_all(slow[0]) == []
        for connection in slow[1:]:
            [(status, problem)] = read_all(connection)
            assert (status, problem["code"]) == (408, "request_timeout")


@pytest.mark.slow
def test_clients_that_read_nothing_hold_no_thread(hasty: Server) -> None:
    with ExitStack() as stack:
        for _ in range(4 * PLACES):
            client = stack.enter_context(socket.socket())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            client.connect(("127.0.0.1", hasty.port))
            client.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 20)
        eventually(hasty.serves)


@pytest.mark.slow
def test_a_web_process_that_is_stopped_is_replaced(hasty: Server) -> None:
    [stopped] = hasty.processes()
    os.kill(stopped, signal.SIGSTOP)
    eventually(lambda: hasty.processes() not in ([], [stopped]) and hasty.serves())


@pytest.mark.slow
def test_thousands_may_be_connected(server: Server) -> None:
    with ExitStack() as stack:
        idle = [stack.enter_context(server.connect()) for _ in range(1500)]
        assert at_once(*[server.ask] * 4)[0][0] == 200
        for connection in (idle[0], idle[-1]):
            connection.sendall(TILES)
            assert read_one(connection)[0] == 200


@pytest.mark.slow
def test_when_all_connections_are_taken_the_idlest_makes_room(hasty: Server) -> None:
    with ExitStack() as stack:
        idle = [stack.enter_context(hasty.connect()) for _ in range(MOST_CONNECTIONS + 5)]
        assert idle[0].recv(1) == b""
        idle[-1].sendall(TILES)
        assert read_one(idle[-1])[0] == 200
