"""The service behind a connection pooler in transaction mode.

Games are played and mails are sent through a real pgbouncer. It lends two connections to everybody, so nearly each
transaction is on another one than the last.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from email.message import EmailMessage
from pathlib import Path

import psycopg
import pytest
from flask import Flask
from psycopg.conninfo import conninfo_to_dict

from service.local.account import postgres_account
from service.local.child import spawn
from service.mail.maildir import Maildir, address_of
from tests.support.http_games import Game, SignUp, start
from tests.support.running import eventually, free_port
from tests.support.web import KEYS

_PROGRAM = shutil.which("pgbouncer", path=os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin")))

pytestmark = pytest.mark.skipif(_PROGRAM is None, reason="needs pgbouncer: apt-get install pgbouncer")

_INI = """
[databases]
{database} = host={socket} port={server_port} dbname={database} user={user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
logfile = {folder}/pgbouncer.log
"""


@pytest.fixture
def pooled_url(database_url: str, owner_url: str, open_folder: Path) -> Iterator[str]:
    """Yield the URL of this test's database through pgbouncer."""
    told = conninfo_to_dict(database_url)
    with psycopg.connect(owner_url, autocommit=True) as connection:
        # The database's defaults for sessions differ from what the service needs.
        connection.execute(f"ALTER DATABASE \"{told['dbname']}\" SET timezone = 'Asia/Kathmandu'")
    port = free_port()
    account = postgres_account()
    ini = open_folder / "pgbouncer.ini"
    where = {"socket": told["host"], "server_port": told["port"], "port": port, "folder": open_folder}
    ini.write_text(_INI.format(database=told["dbname"], user=told["user"], **where))
    ini.chmod(0o644)  # whatever the umask
    open_folder.chmod(0o777)
    assert _PROGRAM is not None
    pooler = spawn([_PROGRAM, str(ini)], env={}, last_signal=signal.SIGKILL, account=account, stderr=subprocess.DEVNULL)
    url = f"postgresql://{told['user']}@127.0.0.1:{port}/{told['dbname']}"
    try:
        eventually(lambda: _answers(url))
        yield url
    finally:
        pooler.kill()
        pooler.wait()


def _answers(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True


@pytest.fixture
def app(make_app: Callable[..., Flask], pooled_url: str) -> Flask:
    return make_app(database_url=pooled_url, database_pooler="transaction")


@pytest.mark.slow
def test_games_are_played_through_a_pooler_and_their_mails_leave(
    app: Flask, sign_up: SignUp, pooled_url: str, owner_url: str, tmp_path: Path
) -> None:
    games = [start(app.test_client(), sign_up(), sign_up()) for _ in range(4)]
    with ThreadPoolExecutor(len(games)) as pool:
        list(pool.map(_play, games))
    views = [game.view() for game in games]
    assert all(view["version"] >= _MOVES for view in views)
    assert all(view["created_at"].endswith("Z") for view in views)
    with psycopg.connect(owner_url) as connection:
        used = "SELECT count(DISTINCT pid) FROM pg_stat_activity WHERE datname = current_database() AND usename <> %s"
        assert connection.execute(used, [connection.info.user]).fetchone() == (2,)
    to_move = {game.to_move().email for game in games}
    mails = Maildir(tmp_path / "mail")
    with _worker(pooled_url, tmp_path):
        eventually(lambda: to_move <= {address_of(mail) for mail in _turns(mails)}, 60.0)


def _turns(mails: Maildir) -> list[EmailMessage]:
    return [mail for mail in mails.messages() if "turn" in str(mail["Subject"]).lower()]


@contextmanager
def _worker(url: str, folder: Path) -> Iterator[None]:
    """Run `novaluna worker` on this database in a process of its own."""
    environ = {name: os.environ[name] for name in ("HOME", "PATH", "TMPDIR") if name in os.environ} | {
        "DATABASE_URL": url,
        "NOVALUNA_DATABASE_POOLER": "transaction",
        "NOVALUNA_DATA": str(folder),
        "NOVALUNA_SECRET_KEY": KEYS[0].replace(" ", "-"),
        "NOVALUNA_MAIL_PICTURES": "off",
    }
    argv = [sys.executable, "-m", "service.cli", "worker"]
    worker = spawn(argv, env=environ, last_signal=signal.SIGKILL, stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        worker.terminate()
        assert worker.wait(60) == 0


_MOVES = 6


def _play(game: Game) -> None:
    """Make some moves, and more until another player is to move and so has mail."""
    for _ in range(_MOVES):
        mover = game.to_move()
        game.move()
    while game.to_move() == mover:
        game.move()


def test_a_pooler_that_was_not_told_of_is_named(make_app: Callable[..., Flask], pooled_url: str) -> None:
    app = make_app(database_url=pooled_url)
    for _ in range(2):
        told = app.test_client().get("/readyz")
        assert told.status_code == 503
        assert told.get_json()["checks"]["database"].endswith("set NOVALUNA_DATABASE_POOLER=transaction")


@pytest.mark.slow
@pytest.mark.parametrize("pooler", ["", "transaction"])
def test_a_command_behind_a_pooler_says_what_to_do(pooled_url: str, pooler: str) -> None:
    environ = {"DATABASE_URL": pooled_url, "NOVALUNA_SECRET_KEY": "k" * 32, "NOVALUNA_DATABASE_POOLER": pooler}
    argv = [sys.executable, "-m", "service.cli", "migrate"]
    run = subprocess.run(argv, env=environ, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "it is behind a connection pooler: lead to Postgres itself by NOVALUNA_OWNER_URL" in run.stderr
