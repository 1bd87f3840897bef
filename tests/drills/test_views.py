"""Past states are shown by processes that never saw them: `?at=` gives what a GET gave at that version."""

from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from random import Random

import pytest

from tests.drills.client import Game, Player, start
from tests.drills.service import Service
from tests.support.shared_service import SHARE_SERVICE

pytestmark = [pytest.mark.drill, pytest.mark.long, SHARE_SERVICE]

AT_ONCE = 6
GAMES = 100
SEATS = (2, 3, 1, 4, 2, 3, 2, 2, 2, 3)
DISCS = (5, 5, 7)

Shown = tuple[bytes, str]
"""A view, and its ETag."""


def watched(game: Game, chance: Random) -> dict[int, Shown]:
    """Play a game to its end, and return the first player's view at each version."""
    views: dict[int, Shown] = {}
    while True:
        answer = game.get()
        views[answer.json()["version"]] = answer.content, answer.headers["ETag"]
        if not game.move(chance, resigning=0.0 if len(game.players) == 1 else 0.01):
            return views


def past(game: Game, versions: int) -> dict[int, Shown]:
    """Return the view at each version of a game that was played long ago."""
    answers = {version: game.get(f"?at={version}") for version in range(versions)}
    return {version: (answer.content, answer.headers["ETag"]) for version, answer in answers.items()}


def test_the_past_is_shown_as_it_was(service: Service, people: list[Player]) -> None:
    seats, discs = cycle(SEATS), cycle(DISCS)
    tables = [(number, next(seats), next(discs)) for number in range(GAMES)]

    def play(table: tuple[int, int, int]) -> tuple[Game, dict[int, Shown]]:
        number, seats, discs = table
        chance = Random(number)
        game = start(service.api, chance.sample(people, seats), discs)
        return game, watched(game, chance)

    with ThreadPoolExecutor(AT_ONCE) as threads:
        played = list(threads.map(play, tables))
    service.restart()
    with ThreadPoolExecutor(AT_ONCE) as threads:
        pasts = list(threads.map(lambda one: past(one[0], len(one[1])), played))
    for (game, views), shown in zip(played, pasts, strict=True):
        assert sorted(views) == list(range(len(game.acknowledged) + 1))
        assert shown == views
    service.check_records()
