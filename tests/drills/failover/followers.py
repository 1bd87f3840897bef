"""Clients that hold a service to what it has said: no table is ever shown in an earlier state than one already seen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

import httpx

from tests.drills.client import Api, Game
from tests.drills.clients import Clients

_EVERY = 0.2
"""Seconds between two rounds of reading."""

_GAMES = 4
"""The number of games that are read in a round: the newest."""


class Watcher:
    """A thread that reads the newest games again and again with their last ETag, at each address in turn.

    Attributes:
        read: how many answers it has had.
        wrong: what was shown although a later state was known before the request was sent.
    """

    def __init__(self, clients: Clients) -> None:
        self.read = 0
        self.wrong: list[str] = []
        self._clients = clients
        self._tags: dict[str, str] = {}
        self._seen: dict[str, int] = {}
        self._over = Event()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop reading."""
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(_EVERY):
            for game in self._clients.games[-_GAMES:]:
                for address in self._clients.api.addresses:
                    self._read(self._clients.api, game, address)

    def _read(self, api: Api, game: Game, address: str) -> None:
        known = max(self._seen.get(game.id, 0), max(game.acknowledged, default=0))
        headers = {"If_None_Match": self._tags[game.id]} if game.id in self._tags else {}
        try:
            answer = api.send("GET", game.path, game.players[0], address=address, **headers)
        except httpx.TransportError:
            return
        if answer.status_code == 304:
            version = self._seen[game.id]
        elif answer.status_code == 200:
            version = answer.json()["version"]
        else:
            return
        self.read += 1
        if version < known:
            self.wrong.append(f"{game.path} at {address}: version {version} after {known}")
            return
        self._seen[game.id] = version
        if answer.status_code == 200:
            self._tags[game.id] = answer.headers["ETag"]


@contextmanager
def watching(clients: Clients) -> Iterator[Watcher]:
    """Watch the games of these clients during the block, and fail at its end if one was shown to go back."""
    watcher = Watcher(clients)
    try:
        yield watcher
    finally:
        watcher.stop()
    assert watcher.wrong == []
