"""Clients that hold a service to what it has said: no table is ever shown in an earlier state than one already seen.

Some ask again and again with the last ETag, others follow streams of events.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Thread

import httpx

from tests.drills.client import Api, Game
from tests.drills.clients import Clients
from tests.drills.followers import Follower
from tests.support.running import eventually

_EVERY = 0.2
"""Seconds between two rounds of reading."""

_GAMES = 4
"""The number of games that are read in a round: the newest."""

_TOLD = 60.0
"""Seconds within which a stream has brought everything."""


class Watcher:
    """A thread that reads the newest games again and again with their last ETag, at each address in turn.

    Attributes:
        read: how many answers it has had.
        wrong: what was shown although a later state was known before the request was sent.

    Args:
        clients: those who play the games.
        may_lose: whether moves that were acknowledged may be gone; then a state counts as known once it was read.
    """

    def __init__(self, clients: Clients, *, may_lose: bool = False) -> None:
        self.read = 0
        self._may_lose = may_lose
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
        known = max(self._seen.get(game.id, 0), 0 if self._may_lose else max(game.acknowledged, default=0))
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
            if not self._may_lose:
                return
        self._seen[game.id] = version
        if answer.status_code == 200:
            self._tags[game.id] = answer.headers["ETag"]


@contextmanager
def watching(clients: Clients, *, may_lose: bool = False) -> Iterator[Watcher]:
    """Watch the games of these clients during the block, and fail at its end if one was shown to go back.

    With `may_lose`, the caller looks at what was.
    """
    watcher = Watcher(clients, may_lose=may_lose)
    try:
        yield watcher
    finally:
        watcher.stop()
    assert may_lose or watcher.wrong == []


@contextmanager
def streaming(clients: Clients, addresses: Sequence[str]) -> Iterator[Streams]:
    """Follow the streams of all players during the block, at one address each by turns, before any game starts."""
    followers = {
        player.account: Follower(
            httpx.Client(base_url=addresses[number % len(addresses)], trust_env=False), "/v1/events", player.token
        )
        for number, player in enumerate(clients.people)
    }
    try:
        eventually(lambda: all(follower.has_begun for follower in followers.values()), _TOLD)
        yield Streams(clients, followers)
    finally:
        for follower in followers.values():
            follower.close()


class Streams:
    """The streams of all players.

    Attributes:
        followers: those who follow them, by account.
    """

    def __init__(self, clients: Clients, followers: dict[str, Follower]) -> None:
        self.followers = followers
        self._clients = clients
        self._told: set[str] = set()

    def check(self, epoch: str) -> None:
        """Check that each player was told of each move at each own table, in order and once.

        `epoch` is the present one. Whoever was told of another has had a reset, and since then of what came after it.
        """
        for follower in self.followers.values():
            eventually(lambda f=follower: f.epoch == epoch, _TOLD)  # type: ignore[misc]
        for game in self._clients.games:
            if game.id in self._told:
                continue
            version = max(game.acknowledged, default=0)
            for player in game.players:
                follower = self.followers[player.account]
                eventually(lambda f=follower, g=game, v=version: _reaches(f, g, v), _TOLD)  # type: ignore[misc]
                told = follower.moves[game.id]
                first = 1 if not follower.resets else version + 1 - len(told)
                assert told == list(range(first, version + 1)), (game.path, player.account, told, version)
            if game.is_over:
                self._told.add(game.id)
        for follower in self.followers.values():
            assert len(set(follower.ids)) == len(follower.ids), "an event came twice"


def _reaches(follower: Follower, game: Game, version: int) -> bool:
    """Return whether a follower has been told of a version, or has read it after a reset."""
    told = follower.moves.get(game.id, [])
    return version == 0 or bool(follower.resets and not told) or bool(told and told[-1] >= version)
