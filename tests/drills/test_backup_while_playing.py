"""A backup is made while games are played; restored elsewhere, they continue from one moment to the same end."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyrage
import pytest

from tests.drills.client import Game
from tests.drills.clients import Clients
from tests.drills.service import Service, open_folder, running_service

pytestmark = [pytest.mark.drill, pytest.mark.long, pytest.mark.xdist_group("drill of backups")]

PROGRESS = 20
"""Moves that are acknowledged before the backup, and as many after it."""


def test_games_that_ran_go_on_to_the_same_end(amount: Callable[[int], int]) -> None:
    identity = pyrage.x25519.Identity.generate()
    with open_folder() as folder:
        file = folder / "nova.backup"
        with running_service() as service:
            clients = Clients(service.api, service.sign_up(6), amount(30))
            with clients.playing():
                clients.await_moves(PROGRESS)
                before = lengths(clients.games)
                novaluna(service.folder / "data", identity.to_public(), "backup", file)
                after = lengths(clients.games)
                clients.await_moves(PROGRESS)
            clients.play_to_the_end()
            ends = {game.id: game.get("/record").json() for game in clients.games}
            shutil.copy(service.folder / "data" / "secret-key", folder)
        novaluna(folder / "data", identity, "restore", file)
        shutil.copy(folder / "secret-key", folder / "data")
        again = Service(folder)
        try:
            check_games(again, clients.games, before, after, ends)
        finally:
            again.stop()


def lengths(games: list[Game]) -> dict[str, int]:
    """Return the number of moves that are acknowledged in each game."""
    return {game.id: len(game.acknowledged) for game in games}


def novaluna(data: Path, key: object, *arguments: str | Path) -> None:
    """Run a command on a data folder with this key for backups; it must succeed without output."""
    argv = [sys.executable, "-m", "service.cli", *map(str, arguments), "--data", str(data)]
    run = subprocess.run(argv, env={"NOVALUNA_BACKUP_KEY": str(key)}, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def check_games(
    again: Service, games: list[Game], before: dict[str, int], after: dict[str, int], ends: dict[str, dict[str, object]]
) -> None:
    """Check that all acknowledged before the backup is there, nothing later is, and the same moves end the same."""
    with again.database() as connection:
        there = {table for (table,) in connection.execute("SELECT id FROM tables JOIN setups ON game = key").fetchall()}
    assert before.keys() <= there <= after.keys() | {game.id for game in games}
    kept = [Game(again.api, game.path, game.players) for game in games if game.id in there]
    played_on: set[str] = set()
    for game, former in zip(kept, (game for game in games if game.id in there), strict=True):
        game.acknowledged = game.log()
        restored = len(game.acknowledged)
        assert before.get(game.id, 0) <= restored
        if game.id in after:  # there can be one more move, whose response was on its way
            assert restored <= after[game.id] + 1
        assert game.acknowledged == {seq: former.acknowledged[seq] for seq in range(1, restored + 1)}
        for seq in range(restored + 1, len(former.acknowledged) + 1):
            game.send(*former.acknowledged[seq], seq - 1)
            played_on.add(game.id)
        record = game.get("/record").json()
        for part in ("game", "players", "draw", "result"):
            assert record[part] == ends[game.id][part]
    assert played_on, "there was nothing left to be played"
    again.await_empty_queue(hurried=True)
    check_mails_came(again, kept, played_on)
    again.check_records()


def check_mails_came(again: Service, games: list[Game], played_on: set[str]) -> None:
    """Check that players whose turn it was at the end got their mail, and that no mail failed or was sent twice."""
    mails = again.mailbox.mails_by_name()
    assert set(mails.values()) == {1}
    ends = {f"end.{game.id}.{player.account}" for game in games if game.id in played_on for player in game.players}
    assert ends <= mails.keys()
    with again.database() as connection:
        left = "SELECT task_name, args FROM procrastinate_jobs WHERE status <> 'succeeded' AND task_name LIKE 'mail%'"
        assert connection.execute(left).fetchall() == []
