"""Streams lose no event and double none while processes and Postgres are killed, and where two nodes serve them."""

import os
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

import httpx
import psycopg
import pytest

from tests.drills import nodes
from tests.drills.client import Api, Game, start
from tests.drills.followers import Follower, check, following
from tests.drills.proxies import nginx, program
from tests.drills.service import Service, open_folder
from tests.support.running import eventually

pytestmark = [pytest.mark.drill, pytest.mark.xdist_group("drill of streams")]

_MOVES = 4
"""The moves before and after each fault."""


def _moves(game: Game, chance: Random) -> None:
    for _ in range(_MOVES):
        assert game.move(chance), "the game is over too soon"


def _last(game: Game) -> int:
    version: int = game.get().json()["version"]
    return version


def _kill_web_process(service: Service) -> None:
    """Kill the youngest process of the web server, which is one that serves."""
    os.kill(service.running.pids("gunicorn")[-1], signal.SIGKILL)


def _end_web_process(service: Service) -> None:
    """End a process of the web server as a deployment does."""
    os.kill(service.running.pids("gunicorn")[-1], signal.SIGTERM)


def _kill_web_server(service: Service) -> None:
    os.kill(service.running.pids("gunicorn")[0], signal.SIGKILL)


def _kill_worker(service: Service) -> None:
    os.kill(service.worker_pids()[0], signal.SIGKILL)


def _crash_postgres(service: Service) -> None:
    """Kill a connection's process, after which Postgres starts again with all others."""
    with psycopg.connect(service.database_url, autocommit=True) as connection:
        os.kill(connection.info.backend_pid, signal.SIGKILL)


_FAULTS: tuple[Callable[[Service], None], ...] = (
    _kill_web_server,
    _crash_postgres,
    _kill_web_process,
    _end_web_process,
    _kill_worker,
)


@pytest.mark.slow
def test_no_restart_loses_or_doubles_an_event(amount: Callable[..., int]) -> None:
    chance = Random(15)
    with open_folder() as folder:
        service = Service(folder)
        try:
            ann, ben = service.sign_up(2)
            address = service.running.address

            def make(path: str, token: str | None) -> Follower:
                return Follower(httpx.Client(base_url=address, trust_env=False), path, token)

            games = 0
            game = start(service.api, [ann, ben])
            rounds = amount(20, 1)
            with following(
                partial(make, "/v1/events", ann.token),
                partial(make, "/v1/events", ben.token),
                partial(make, f"{game.path}/events", None),
            ) as followers:
                for number in range(rounds):
                    if number and number % 5 == 0:  # a game is not long enough for all
                        check(followers[:2], game.id, _last(game))
                        game, games = start(service.api, [ann, ben]), games + 1
                    _moves(game, chance)
                    _FAULTS[number % len(_FAULTS)](service)
                    _moves(game, chance)
                    check(followers[: 2 if games else 3], game.id, _last(game))
                assert sum(each.connections for each in followers) > len(followers), "the faults disturbed nobody"
        finally:
            service.stop()


@pytest.mark.long
def test_two_nodes_behind_nginx_serve_one_game_to_streams_on_both(open_folder: Path) -> None:
    program("nginx")
    open_folder.chmod(0o777)  # the account of nginx writes there
    chance = Random(16)
    with nodes.two_machines(False, 2) as rig:
        first, second = rig.services
        ann, ben = rig.clients.people[:2]
        addresses = [machine.running.address.removeprefix("http://") for machine in (first, second)]
        with nginx(open_folder, *addresses) as proxy:

            def direct(machine: Service, token: str | None) -> Follower:
                path = "/v1/events" if token else f"{game.path}/events"
                return Follower(httpx.Client(base_url=machine.running.address, trust_env=False), path, token)

            game = start(Api(*(machine.running.address for machine in (first, second))), [ann, ben])
            with following(
                lambda: direct(first, ann.token),
                lambda: direct(second, ben.token),
                lambda: direct(second, None),
                lambda: Follower(proxy.client(), "/v1/events", ann.token),
                lambda: Follower(proxy.client(), f"{game.path}/events", None),
            ) as followers:
                _moves(game, chance)
                nodes.kill(second)
                _moves(game, chance)
                away = [followers[1], followers[2]]
                check([each for each in followers if each not in away], game.id, _last(game))
                second.restart()
                eventually(lambda: all(each.connections > 1 for each in away))
                _moves(game, chance)
                check(followers, game.id, _last(game))
