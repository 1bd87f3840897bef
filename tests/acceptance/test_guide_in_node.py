"""The guide's code for browsers, run in Node against a stand-in that ends streams and has lost events."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from tests.support.javascript import NODE, needs_node
from tests.support.pasting import ROOT, blocks

pytestmark = needs_node

_AROUND = """
const api = process.argv[1], token = "token";
const readGames = () => console.log("games");
const show = (event) => console.log(event.kind);
"""

_STREAMS = (
    'retry: 1\nid: e-1\n\nid: e-2\ndata: {"kind": "move"}\n\n',
    None,
    'retry: 1\nid: e-3\nevent: reset\ndata: {"id": "e-3"}\n\nid: e-4\ndata: {"kind": "join"}\n\n',
)
"""The streams that are answered one after the other; None: 503 in HTML. After them, the token is not valid any more."""


class _Handler(BaseHTTPRequestHandler):
    server: _Streams

    def do_GET(self) -> None:
        asked, self.server.asked = self.server.asked, [*self.server.asked, self.headers.get("Last-Event-ID")]
        stream = _STREAMS[len(asked)] if len(asked) < len(_STREAMS) else ""
        self.send_response(503 if stream is None else 200 if stream else 401)
        self.send_header("Retry-After", "0")
        self.end_headers()
        self.wfile.write((stream or "<p>").encode())

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


class _Streams(ThreadingHTTPServer):
    """The stand-in; `asked` are the places in the list of events that it was asked to go on from."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[str | None] = []


@pytest.fixture
def streams() -> Iterator[_Streams]:
    with _Streams() as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_the_reader_of_events_connects_again_and_heeds_a_reset(streams: _Streams) -> None:
    assert NODE is not None
    [code] = [block for block in blocks((ROOT / "docs/guide/browsers.md").read_text(), "js") if "for (;;)" in block]
    argv = [NODE, "--input-type=module", "-e", _AROUND + code, f"http://127.0.0.1:{streams.server_port}"]
    ran = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    assert ran.stdout.split() == ["games", "move", "games", "join"]
    assert "the access token is not valid any more" in ran.stderr
    assert streams.asked == [None, "e-2", "e-2", "e-4"]
