"""Clients that follow streams of events as browsers do: they connect again with the last id, whatever happens."""

from __future__ import annotations

import json
import socket
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Any

import httpx

from tests.drills.proxies import HOST
from tests.support.running import eventually

_AGAIN = 0.2
"""Seconds after which a follower connects again: sooner than it is told to, because time is short."""


class Follower:
    """A thread that follows a stream.

    Attributes:
        ids: the cursors of all events, in the order in which they came.
        moves: the numbers of all moves of each game, in the order in which they came, since the last reset.
        connections: how often it has connected.
        resets: the epochs that it was told of after its cursor had been of another one.
    """

    def __init__(self, client: httpx.Client, path: str, token: str | None) -> None:
        self.ids: list[str] = []
        self.moves: dict[str, list[int]] = defaultdict(list)
        self.connections = 0
        self.resets: list[str] = []
        self._client, self._path = client, path
        self._headers = {"Accept": "text/event-stream"} | ({"Authorization": f"Bearer {token}"} if token else {})
        self._last: str | None = None
        self._over = Event()
        self._socket: socket.socket | None = None
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def has_begun(self) -> bool:
        """True if it has a cursor to go on from."""
        return self._last is not None

    @property
    def epoch(self) -> str:
        """The epoch of its cursor."""
        return (self._last or "").partition("-")[0]

    def close(self) -> None:
        """Stop following."""
        self._over.set()
        if self._socket is not None:
            with suppress(OSError):  # it is closed already
                self._socket.shutdown(socket.SHUT_RDWR)  # else the thread would wait for the next sign of life
        self._thread.join()
        self._client.close()

    def _run(self) -> None:
        while not self._over.wait(_AGAIN):
            try:
                self._follow()
            except httpx.TransportError:  # the service is away, or the connection was closed
                continue

    def _follow(self) -> None:
        headers = self._headers | ({} if self._last is None else {"Last-Event-ID": self._last})
        options: dict[str, Any] = {"headers": headers, "extensions": {"sni_hostname": HOST}, "timeout": 30.0}
        with self._client.stream("GET", self._path, **options) as answer:
            if answer.status_code != 200:
                return
            self.connections += 1
            self._socket = answer.extensions["network_stream"].get_extra_info("socket")
            if self._over.is_set():
                return
            for fields in _messages(answer.iter_lines()):
                if "event" in fields:
                    self.resets.append(fields["id"].partition("-")[0])
                    self.moves.clear()
                elif "data" in fields:
                    event = json.loads(fields["data"])
                    self.ids.append(event["id"])
                    if event["kind"] == "move":
                        self.moves[event["game"]].append(event["number"])
                self._last = fields.get("id", self._last)


def _messages(lines: Iterator[str]) -> Iterator[dict[str, str]]:
    fields: dict[str, str] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        else:
            yield fields
            fields = {}


@contextmanager
def following(*made: Callable[[], Follower]) -> Iterator[list[Follower]]:
    """Yield followers that have all begun, and stop them at the end."""
    followers = [make() for make in made]
    try:
        eventually(lambda: all(each.has_begun for each in followers))
        yield followers
    finally:
        for each in followers:
            each.close()


def check(followers: list[Follower], game: str, version: int) -> None:
    """Check that each follower learns of each move of a game, in order and once, whatever it was cut off from."""
    eventually(lambda: all(each.moves[game] and max(each.moves[game]) >= version for each in followers))
    for each in followers:
        assert not each.resets, "no cursor was refused"
        assert each.moves[game] == list(range(1, version + 1))
        assert len(set(each.ids)) == len(each.ids)
