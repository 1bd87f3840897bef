"""Clients that play many games over HTTP at once."""

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
    """A fixed number of games that are played at the same time; one that has ended is followed by another.

    Each client plays some of them, one move in each by turns, and repeats a request until it is answered.

    Attributes:
        api, people: the API and the players.
        games: all games that were started.
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
        """Play while the block runs; at the end, everything that was sent is answered."""
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
        """Wait until a number of further moves is acknowledged."""
        enough = self._moves() + count
        self._await(lambda: self._moves() >= enough)

    def await_laps(self, count: int) -> None:
        """Wait until each client has moved a number of further times in each of its games, so that none is stuck."""
        enough = [laps + 1 + count for laps in self.laps]  # one more, as the first may have begun earlier
        self._await(lambda: all(laps >= needed for laps, needed in zip(self.laps, enough, strict=True)))

    def _await(self, holds: Callable[[], bool]) -> None:
        eventually(lambda: holds() or any(played.done() for played in self._played), PATIENCE)
        for played in self._played:
            if played.done():
                played.result()

    def adopt(self, game: Game) -> None:
        """Take over a game that somebody else started."""
        self.games.append(game)
        self._going_on[-len(self.games)] = game

    def play_to_the_end(self) -> None:
        """Play all unfinished games to their end."""

        def play(game: Game) -> None:
            chance = Random(game.id)
            while game.move(chance):
                pass

        with ThreadPoolExecutor(AT_ONCE) as threads:
            list(threads.map(play, self._going_on.values()))
        self._going_on.clear()

    def _moves(self) -> int:
        return sum(len(game.acknowledged) for game in self.games)

    def _move(self, game: Game, chance: Random) -> bool:
        """Make a move; return False if the game is over."""
        return game.move(chance, RESIGNING)

    def _begin(self, players: Sequence[Player]) -> Game:
        """Start a game, and add it to all games."""
        game = start(self.api, players, DISCS)
        self.games.append(game)
        return game

    def _play(self, number: int, stopped: Event) -> None:
        chance = self._chances[number]
        while not stopped.is_set():
            for table in range(number, self._count, AT_ONCE):
                game = self._going_on.get(table)
                if game is None or not self._move(game, chance):
                    self._going_on[table] = self._begin(chance.sample(self.people, 2 + table % 3))
            self.laps[number] += 1
