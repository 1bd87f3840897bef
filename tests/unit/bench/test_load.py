"""The load generator, run against a server of the standard library."""

from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import ClassVar

import pytest

from bench.load import Plan, put, run


class Answers(BaseHTTPRequestHandler):
    """A handler that responds with a path's status, and to /close with a connection that it closes.

    It counts the requests, and the connections that they came on.
    """

    protocol_version = "HTTP/1.1"
    asked: ClassVar[Counter[str]] = Counter()
    connections = 0

    def setup(self) -> None:
        super().setup()
        type(self).connections += 1

    def do_GET(self) -> None:
        self.asked[self.path] += 1
        self.send_response(int(self.path[1:4]) if self.path != "/close" else 200)
        body = b"" if self.path == "/304" else b"x" * 70_000
        if self.path != "/304":
            self.send_header("Content-Length", str(len(body)))
        if self.path == "/close":
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def port() -> Iterator[int]:
    Answers.asked.clear()
    Answers.connections = 0
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


def get(path: str) -> str:
    return f"GET {path} HTTP/1.1\r\nHost: here\r\n\r\n"


def test_each_request_is_sent_once_in_its_order(port: int) -> None:
    result = put(Plan(port, [[get("/200"), get("/304"), get("/404")], [get("/200")]]))
    assert result.statuses == {"200": 2, "304": 1, "404": 1}
    assert Answers.asked == {"/200": 2, "/304": 1, "/404": 1}
    assert Answers.connections == 2
    assert len(result.latencies) == 4
    assert 0 < result.percentile(0.5) <= result.percentile(0.99) <= result.seconds
    assert result.each == result.seconds / 4


def test_a_closed_connection_is_made_again(port: int) -> None:
    result = run(Plan(port, [[get("/close"), get("/close"), get("/200")]]))
    assert result.statuses == {"200": 3}
    assert Answers.connections == 3


def test_over_and_over_for_some_time(port: int) -> None:
    result = run(Plan(port, [[get("/200"), get("/404")]], seconds=0.2))
    assert 0.2 <= result.seconds < 60
    assert abs(result.statuses["200"] - result.statuses["404"]) <= 1
    assert sum(result.statuses.values()) > 2
