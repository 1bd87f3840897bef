"""A stand-in for the service, for bots: an account with two pages of games in which something else always moves first.

What happens since the first place in the list of events is no longer kept, so a bot has to go on from the next place.
After that no game is running, so a bot ends.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

GAMES = ["first", "second"]
VERSION = 12


FAULTS = (503, 429, 502, None)
"""How the first requests are answered if they meet faults: by these statuses, or by nothing on a closed connection."""


class BusyAccount(ThreadingHTTPServer):
    """The stand-in.

    Args:
        is_faulty: whether every other request meets a fault at first, as by a proxy or a restart.

    Attributes:
        address: its base URL.
        tried: the bodies of the moves that were tried or made, by game.
        waited_after: the places after which events were asked for.
        faults: how the next requests are answered that meet a fault.
    """

    def __init__(self, *, is_faulty: bool) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.address = f"http://127.0.0.1:{self.server_port}"
        self.tried: dict[str, list[Any]] = {}
        self.waited_after: list[str] = []
        self.faults = [*FAULTS] if is_faulty else []
        self._asked = 0

    def fault(self) -> int | None:
        """Return the status to answer the next request with: 0 for an answer as it is, None for no answer at all."""
        self._asked += 1
        return self.faults.pop(0) if self.faults and self._asked % 2 else 0

    def answer(self, path: str, query: dict[str, str], body: Any) -> tuple[int, dict[str, Any]]:
        """Return the status and the body of the response to a request."""
        match path.split("/")[2:]:
            case ["events"] if "after" in query:
                self.waited_after.append(query["after"])
                gone = {"status": 410, "code": "events_gone", "detail": "", "after": "e-9"}
                return (410, gone) if query["after"] == "e-1" else (200, {"items": [], "after": "e-10", "more": False})
            case ["events"]:
                return 200, {"items": [], "after": "e-1", "more": False}
            case ["games"] if "e-9" in self.waited_after:
                return 200, {"items": [], "next": None}
            case ["games"]:
                is_last = query.get("cursor") == "next"
                game = {"id": GAMES[is_last], "status": "running", "turn": 0, "you": 0}
                return 200, {"items": [game], "next": None if is_last else "next"}
            case ["games", _, "legal-moves"]:
                return 200, {"version": VERSION, "tiles": [17], "cells": [{"x": 0, "y": 0, "letter": "A"}]}
            case ["games", game, "moves"]:
                self.tried.setdefault(game, []).append(body)
                if game == "first":
                    return 422, {"status": 422, "code": "not_your_turn", "detail": ""}
                return 409, {"status": 409, "code": "stale_version", "detail": ""}
        return 404, {"status": 404, "code": "not_found", "detail": path}


class _Handler(BaseHTTPRequestHandler):
    server: BusyAccount

    def do_GET(self) -> None:
        self._answer(None)

    def do_POST(self) -> None:
        self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def _answer(self, body: Any) -> None:
        asked = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(asked.query).items()}
        fault = self.server.fault()
        if fault is None:
            self.close_connection = True
            return
        if fault:
            self.send_response(fault)
            self.send_header("Retry-After", "0")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        status, answer = self.server.answer(asked.path, query, body)
        sent = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json" if status == 200 else "application/problem+json")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


@contextmanager
def busy_account(*, is_faulty: bool = False) -> Iterator[BusyAccount]:
    """Serve such an account while the block runs; a bot must have tried to move in both games, and have gone on."""
    with BusyAccount(is_faulty=is_faulty) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
    move = {"type": "place", "tile": 17, "x": 0, "y": 0, "expected_version": VERSION}
    assert server.tried == {game: [move, move] for game in GAMES}  # once before each wait
    assert server.waited_after == ["e-1", "e-9"]
    assert server.faults == []
