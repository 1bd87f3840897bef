"""Clients that play many games over HTTP at once, for as long as they are told to."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from random import Random
from threading import Event

from tests.drills.client import PATIENCE, Api, Game, Player, start
from tests.support.running import eventually

AT_ONCE = 5
DISCS = 5
RESIGNING = 0.005


class Clients:
    """So many games that go on at the same time; one that has ended is followed by another.

    Each client plays some of them, in turn a move in each, and sends a request again until it is answered.

    Attributes:
        api, people: over what and by whom they are played.
        games: all games that were begun.
        laps: how often each client has moved in all its games.
    """

    def __init__(self, api: Api, people: Sequence[Player], count: int) -> None:
        self.games: list[Game] = []
        self.laps = [0] * AT_ONCE
        self.api, self.people = api, people
        self._count = count
        self._going_on: dict[int, Game] = {}
        self._chances = [Random(number) for number in range(AT_ONCE)]

    @contextmanager
    def playing(self) -> Iterator[None]:
        """They play while the block runs. Afterwards everything that they sent is answered."""
        stopped = Event()
        with ThreadPoolExecutor(AT_ONCE) as threads:
            self._played = [threads.submit(self._play, number, stopped) for number in range(AT_ONCE)]
            try:
                yield
            finally:
                stopped.set()
        for played in self._played:
            played.result()

    def await_moves(self, count: int) -> None:
        """Waits until so many more moves are acknowledged."""
        enough = self._moves() + count
        self._await(lambda: self._moves() >= enough)

    def await_laps(self, count: int) -> None:
        """Waits until each client has so many more times made a move in each of its games: none is stuck."""
        enough = [laps + 1 + count for laps in self.laps]  # one more, as this one may have begun before
        self._await(lambda: all(laps >= needed for laps, needed in zip(self.laps, enough, strict=True)))

    def _await(self, holds: Callable[[], bool]) -> None:
        eventually(lambda: holds() or any(played.done() for played in self._played), PATIENCE)
        for played in self._played:
            if played.done():
                played.result()

    def adopt(self, game: Game) -> None:
        """Takes over a game that somebody else has begun."""
        self.games.append(game)
        self._going_on[-len(self.games)] = game

    def play_to_the_end(self) -> None:
        """All games that have not ended are played on until they have."""

        def play(game: Game) -> None:
            chance = Random(game.id)
            while game.move(chance):
                pass

        with ThreadPoolExecutor(AT_ONCE) as threads:
            list(threads.map(play, self._going_on.values()))
        self._going_on.clear()

    def _moves(self) -> int:
        return sum(len(game.acknowledged) for game in self.games)

    def _play(self, number: int, stopped: Event) -> None:
        chance = self._chances[number]
        while not stopped.is_set():
            for table in range(number, self._count, AT_ONCE):
                game = self._going_on.get(table)
                if game is None or not game.move(chance, RESIGNING):
                    game = self._going_on[table] = start(self.api, chance.sample(self.people, 2 + table % 3), DISCS)
                    self.games.append(game)
            self.laps[number] += 1
