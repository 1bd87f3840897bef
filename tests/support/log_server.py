"""A small HTTP server that serves a log made in memory, honestly or not."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from service.checkpoints import tiles
from service.checkpoints.encoding import to_base64
from tests.support.made_log import MadeLog

Answer = tuple[int, dict[str, str], bytes]

_TILE = re.compile(r"/v1/checkpoints/1/tile/([0-9])/([x0-9/]+?)(?:\.p/([0-9]+))?")
_ENTRIES = re.compile(r"/v1/checkpoints/1/tile/entries/([x0-9/]+)")


class LogServer:
    """The answers of the server.

    Attributes:
        log: the log that it serves, which a test may exchange.
        endorsements: the notes that introduce the log's other keys.
        policy: the policy that it shows; None is one with the log's keys.
        answers: answers to some paths, in place of those that the log gives.
        asked: the paths that were asked for.
        page: the number of checkpoints on a page of their list.
    """

    def __init__(self, log: MadeLog) -> None:
        self.log = log
        self.endorsements: list[str] = []
        self.policy: str | None = None
        self.state = "open"
        self.answers: dict[str, Callable[[], Answer]] = {}
        self.asked: list[str] = []
        self.page = 2
        self.url = ""

    def answer(self, path: str) -> Answer:
        self.asked.append(path)
        if path in self.answers:
            return self.answers[path]()
        bare, _, query = path.partition("?")
        match bare.removeprefix("/v1/checkpoints"):
            case "":
                return _json({"logs": [self._described()]})
            case "/1/checkpoint" if self.log.size:
                return 200, {"Content-Type": "text/plain; charset=utf-8"}, self.log.note().encode()
            case "/1/checkpoints":
                return _json(self._listed(query))
        if found := _TILE.fullmatch(bare):
            tile = self.log.tiles(self.log.size).get((int(found[1]), tiles.number_from(found[2])))
            width = int(found[3] or 256)
            if tile is not None and tile.width >= width:
                return 200, {}, tile.hashes[: 32 * width]
        if (found := _ENTRIES.fullmatch(bare)) and (start := 256 * tiles.number_from(found[1])) < self.log.size:
            return 200, {}, tiles.pack_entries(self.log.entries[start : start + 256])
        return 404, {}, b""

    def _described(self) -> dict[str, Any]:
        keys = [{"vkey": each.public.vkey, "signs": True, "endorsement": None} for each in self.log.keys]
        keys += [{"vkey": "", "signs": False, "endorsement": text} for text in self.endorsements]
        return {
            "log": 1,
            "origin": self.log.origin,
            "state": self.state,
            "size": self.log.size,
            "keys": keys,
            "policy": self.log.policy() if self.policy is None else self.policy,
        }

    def _listed(self, query: str) -> dict[str, Any]:
        sizes = sorted(self.log.sizes, reverse=True)
        start = int(query.partition("cursor=")[2] or 0)
        shown = sizes[start : start + self.page]
        items = [
            {"size": size, "root": to_base64(self.log.checkpoint(size).root), "signed_at": "", "witnesses": []}
            for size in shown
        ]
        following = start + self.page
        return {"items": items, "next": str(following) if following < len(sizes) else None}


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Be quiet about clients that go away."""


@contextmanager
def serving(log: MadeLog, make: Callable[[MadeLog], LogServer] = LogServer) -> Iterator[LogServer]:
    """Serve a log on a free port."""
    server = make(log)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            status, headers, body = server.answer(self.path)
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Be quiet."""

    with _Quiet(("127.0.0.1", 0), Handler) as http:
        server.url = f"http://127.0.0.1:{http.server_port}"
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            http.shutdown()
            thread.join()


def _json(value: Any) -> Answer:
    return 200, {"Content-Type": "application/json"}, json.dumps(value).encode()
