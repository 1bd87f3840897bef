"""In a web process, waiting for Postgres, a lock, a picture or news holds up nobody else."""

import os
import subprocess
import sys
from collections.abc import Iterator

import psycopg
import pytest
from flask.testing import FlaskClient

from service.ids import new_id
from service.store.waking import CHANNEL
from tests.support.at_once import at_once
from tests.support.http_games import Game, SignUp, start
from tests.unit.webserver.web_server import PATIENCE, Server, serve

pytestmark = pytest.mark.xdist_group("web server")


@pytest.fixture
def game(client: FlaskClient, sign_up: SignUp) -> Game:
    return start(client, *(sign_up(name, f"{new_id()}@example.org") for name in ("Ann", "Ben")))


@pytest.fixture(scope="module")
def server(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    yield from serve(tmp_path_factory.mktemp("served"), database_url)


@pytest.mark.slow
def test_moves_are_made_read_and_told_to_the_worker_over_it(server: Server, game: Game, database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as listening:
        listening.execute(f"LISTEN {CHANNEL}")
        first, version = game.to_move(), 0
        while game.to_move() == first:
            version += 1
            made = server.ask("POST", f"{game.path}/moves", game.first(), **first.headers)
            assert (made[0], made[1]["version"]) == (201, version)
        assert list(listening.notifies(timeout=PATIENCE, stop_after=1))  # the other one is to get a mail
    answers = at_once(*[lambda: server.ask("GET", game.path, **first.headers)] * 8)
    assert [(status, view["version"]) for status, view in answers] == [(200, version)] * 8


@pytest.mark.slow
def test_a_lock_that_is_waited_for_holds_nobody_up(server: Server, game: Game, database_url: str) -> None:
    headers = game.players[0].headers
    with psycopg.connect(database_url) as holding:
        holding.execute("LOCK TABLE messages IN ACCESS EXCLUSIVE MODE")

        def waits() -> None:
            assert server.ask("POST", f"{game.path}/messages", {"text": "Hello!"}, **headers)[0] in (201, 503)

        def others() -> None:
            for path in (game.path, "/v1/me", "/v1/tiles", "/healthz"):
                assert server.ask("GET", path, **headers)[0] == 200
            holding.rollback()

        at_once(waits, others)


RENDERING = """
from gevent import monkey
monkey.patch_all(os=False, signal=False)
import gevent
from service.pictures.renderers import Renderers
ticks = 0
def tick():
    global ticks
    while True:
        ticks += 1
        gevent.sleep(0.001)
gevent.spawn(tick)
renderers = Renderers(1, 1, 100.0, niceness=0)
drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="5" height="5"/></svg>'
for _ in range(2):
    assert renderers.png(lambda: drawing, 700).startswith(b"\\x89PNG")
renderers.close()
assert ticks > 20, ticks
"""


def test_a_picture_that_is_waited_for_holds_nobody_up() -> None:
    subprocess.run([sys.executable, "-c", RENDERING], check=True, timeout=PATIENCE)


def test_nothing_that_decides_how_to_wait_is_loaded_before_the_patch() -> None:
    loading = (
        "import sys, service.config, service.webserver.hooks, service.webserver.logger, service.webserver.worker\n"
    )
    loading += "late = {'psycopg', 'sqlalchemy', 'flask', 'psycopg_pool', 'prometheus_client'}\n"
    loading += "assert not late & sys.modules.keys()\n"
    loading += "import service.gunicorn_conf\n"
    loading += "assert late & sys.modules.keys() == {'psycopg'}\n"
    loading += "from psycopg import waiting\n"
    loading += "assert waiting.wait is not waiting.wait_c\n"
    environ = {"PATH": os.environ["PATH"], "DATABASE_URL": "postgresql:///nova", "NOVALUNA_SECRET_KEY": "-" * 32}
    environ["NOVALUNA_DATA"] = "/nonexistent"
    subprocess.run([sys.executable, "-c", loading], check=True, timeout=PATIENCE, env=environ)
