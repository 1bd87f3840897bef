"""Recovery to a moment with pgBackRest: a table is dropped by mistake, and the service comes back to the second before.

Every acknowledged move is there again, every record is valid, the history has a new epoch, and the games go on.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from service.local.account import SystemAccount, postgres_account
from service.local.cluster import DATABASE, USER
from service.local.postgres import Postgres
from tests.drills import archives
from tests.drills.archives import PGBACKREST_CONF, STANZA
from tests.drills.clients import Clients
from tests.drills.fault_rig import KEY, MACHINE, FaultRig
from tests.drills.hanging_relay import HangingRelay, hanging
from tests.drills.service import Service, open_folder
from tests.support.running import eventually

pytestmark = [pytest.mark.drill, pytest.mark.long, pytest.mark.alone]

GAMES = 10
_BIN = sorted(Path("/usr/lib/postgresql").glob("*/bin"))


class Archive:
    """The archive of a Postgres, by the shipped configuration of pgBackRest with the folders of this machine."""

    def __init__(self, folder: Path, account: SystemAccount) -> None:
        self._folder, self._account = folder, account
        self.configuration = folder / "pgbackrest.conf"
        for name in ("repository", *archives.FOLDERS):
            (folder / name).mkdir(mode=0o700)
            shutil.chown(folder / name, account.uid, account.gid)

    @property
    def settings(self) -> dict[str, str]:
        """The settings of Postgres."""
        command = f"pgbackrest --config={self.configuration} --stanza={STANZA}"
        return {
            "archive_mode": "on",
            "archive_command": f"{command} archive-push %p",
            "restore_command": f"{command} archive-get %f %p",
        }

    def configure(self, postgres: Postgres) -> None:
        """Write the configuration for a Postgres that has been started."""
        data = subprocess.run(
            ["psql", "-XAtqc", "SHOW data_directory", postgres.url], check=True, capture_output=True, text=True
        ).stdout.strip()
        self.configuration.write_text(
            archives.configuration(
                repository=self._folder / "repository",
                folder=self._folder,
                data=Path(data),
                socket=Path(str(conninfo_to_dict(postgres.url)["host"])),
                user=USER,
                database=DATABASE,
            )
        )

    def run(self, *command: str) -> None:
        """Run pgBackRest as Postgres' account."""
        account = self._account
        su = ("setpriv", f"--reuid={account.uid}", f"--regid={account.gid}", "--clear-groups")
        told = [*(() if account.is_self else su), "pgbackrest", f"--config={self.configuration}"]
        subprocess.run(
            [*told, f"--stanza={STANZA}", *command],
            check=True,
            cwd=self._folder,
            env={"PATH": os.environ["PATH"]},
            timeout=300,
        )


def test_a_dropped_table_comes_back() -> None:
    if shutil.which("pgbackrest") is None or not _BIN:
        pytest.skip("needs pgBackRest and Postgres: apt-get install pgbackrest postgresql")
    account = postgres_account()
    with open_folder("recovery") as folder, hanging() as relay:
        archive = Archive(folder, account)
        postgres = Postgres(folder / "postgres", bin_folder=_BIN[-1], settings=archive.settings)
        with postgres:
            archive.configure(postgres)
            archive.run("stanza-create")
            service = _service(folder, postgres, relay)
            try:
                rig = FaultRig([service], Clients(service.api, service.sign_up(6), GAMES), in_full=True, relay=relay)
                _play(rig, 100)
                archive.run("backup", "--type=full")
                _play(rig, 100)
                service.await_empty_queue()
                moment, epoch = _moment(service)
                _drop_by_mistake(service)
            finally:
                service.stop_processes()
        begun = time.monotonic()
        archive.run("restore", "--delta", "--type=time", f"--target={moment}", "--target-action=promote")
        with postgres:
            eventually(lambda: _is_promoted(postgres), 120)
            _new_epoch(service)
            service.restart()
            try:
                assert _moment(service)[1] != epoch
                rig.doubles += len(rig.clients.games) * 4
                rig.check()
                print(f"back {time.monotonic() - begun:.1f} s after the beginning of the restore, everything checked")
                _play(rig, 50)
                rig.finish()
                rig.tell("a table dropped by mistake")
            finally:
                service.stop()


def test_shipped_folders_are_those_of_debians_package() -> None:
    if shutil.which("pgbackrest") is None or shutil.which("dpkg-query") is None:
        pytest.skip("needs pgBackRest as Debian installs it: apt-get install pgbackrest")
    installed = subprocess.run(["dpkg-query", "-L", "pgbackrest"], check=True, capture_output=True, text=True).stdout
    told = re.findall(r"^((?!pg1-)[a-z0-9-]+-path)=(.*)$", PGBACKREST_CONF.read_text(), re.MULTILINE)
    assert {name: path for name, path in told if path not in installed.splitlines()} == {}
    assert {Path(path).owner() for _, path in told} == {"postgres"}


def _service(folder: Path, postgres: Postgres, relay: HangingRelay) -> Service:
    environ = {
        "DATABASE_URL": postgres.url,
        "NOVALUNA_SMTP_URL": f"smtp://127.0.0.1:{relay.port}",
        "NOVALUNA_SECRET_KEY": KEY,
        "NOVALUNA_DATA": str(folder / "data"),
    }
    return Service(folder, environ=environ, mailbox=relay, database_url=postgres.url, program=(MACHINE,))


def _play(rig: FaultRig, moves: int) -> None:
    with rig.clients.playing():
        rig.clients.await_moves(moves)


def _moment(service: Service) -> tuple[str, str]:
    """Return the database's time, after a second in which nothing was written, and the name of its epoch."""
    with service.database() as connection:
        row = connection.execute("SELECT clock_timestamp()::text, (SELECT value FROM epoch)").fetchone()
    assert row is not None
    return row[0], row[1]


def _drop_by_mistake(service: Service) -> None:
    with service.database() as connection:
        connection.execute("SELECT pg_sleep(1)")  # the moment to come back to is a second before
        connection.execute("DROP TABLE log CASCADE")
        connection.execute("SELECT pg_switch_wal()")
    asked = service.api.send("GET", "/readyz")
    assert asked.status_code in (200, 503)


def _is_promoted(postgres: Postgres) -> bool:
    with psycopg.connect(postgres.url) as connection:
        return connection.execute("SELECT pg_is_in_recovery()").fetchone() == (False,)


def _new_epoch(service: Service) -> None:
    subprocess.run(
        [sys.executable, "-m", "service.cli", "new-epoch"],
        check=True,
        env={"PATH": os.environ["PATH"], "DATABASE_URL": service.database_url, "NOVALUNA_SECRET_KEY": KEY},
        timeout=60,
    )
