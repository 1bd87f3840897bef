"""One archive of three Postgres under Patroni, by the commands of docs/OPERATING.md, over failovers and a restore."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import psycopg
import pytest
from psycopg.rows import TupleRow

from service.local.account import SystemAccount, postgres_account
from tests.drills import archives
from tests.drills.failover import steps
from tests.drills.failover.network import Host, network
from tests.drills.failover.postgres_hosts import (
    OWNER,
    POSTGRES_BIN,
    SERVICE,
    PostgresHosts,
    data_folder,
    postgres_hosts,
)
from tests.drills.fault_rig import KEY
from tests.drills.service import open_folder
from tests.support.running import eventually

pytestmark = [pytest.mark.drill, pytest.mark.long, pytest.mark.alone]

_TITLE = "Back to the second before a mistake"
_TARGET = "2026-11-29 14:03:19+00"
_AS_POSTGRES = ("runuser", "-u", "postgres", "--")
_PATRONI_YML = "/etc/patroni/config.yml"


def test_three_postgres_come_back_from_one_archive() -> None:
    if shutil.which("pgbackrest") is None:
        pytest.skip("needs pgBackRest: apt-get install pgbackrest")
    account = postgres_account()
    with open_folder("archive") as folder, network(folder) as made:
        databases = postgres_hosts(made)
        archive = Archive(databases, folder / "repository", account)
        archive.set_up()
        archive.back_up_by_night()
        _novaluna(databases, "migrate")
        with _as_superuser(databases) as connection:
            connection.execute("CREATE TABLE kept (number integer)")
        _insert(databases, 1)
        _fail_over(databases)
        _insert(databases, 2)
        archive.await_archived()
        archive.back_up_by_night()
        _insert(databases, 3)
        epoch, moment = _epoch(databases), _moment(databases)
        with _as_superuser(databases) as connection:
            connection.execute("DROP TABLE kept")
            connection.execute("SELECT pg_switch_wal()")
        archive.await_archived()
        archive.go_back_to(moment)
        databases.await_all()
        with _as_superuser(databases) as connection:
            assert connection.execute("SELECT number FROM kept ORDER BY 1").fetchall() == [(1,), (2,), (3,)]
        _novaluna(databases, "new-epoch")
        assert _epoch(databases) != epoch
        _insert(databases, 4)
        _fail_over(databases)
        _insert(databases, 5)
        archive.await_archived()
        assert archive.left == [], "each command of the document is run"


class Archive:
    """The shared archive of the hosts, and the commands of the document.

    Attributes:
        left: the commands that were not run yet, in their order.
    """

    def __init__(self, databases: PostgresHosts, repository: Path, account: SystemAccount) -> None:
        self._databases, self._account = databases, account
        self.left = [each.command for each in steps.commands(_TITLE)]
        repository.mkdir(mode=0o700)
        shutil.chown(repository, account.uid, account.gid)
        for host in databases.hosts:
            for name in archives.FOLDERS:
                (host.folder / name).mkdir(mode=0o700)
                shutil.chown(host.folder / name, account.uid, account.gid)
            (host.folder / "pgbackrest.conf").write_text(
                archives.configuration(
                    repository=repository, folder=host.folder, data=data_folder(host), socket=host.folder / "postgres"
                )
            )

    def set_up(self) -> None:
        """Run the commands that make the archive and have all hosts use it."""
        leader = self._databases.await_primary()
        self._run_until("edit-config", leader)
        check = self.left.pop(0)
        eventually(lambda: self._succeeds(leader, check), 60.0, every=1.0)

    def go_back_to(self, moment: str) -> None:
        """Run the documented commands that restore the database to a point in time."""
        leader = self._databases.await_primary()
        self._run_until("start", leader, moment)
        asked = self.left.pop(0)
        eventually(lambda: self._run(leader, asked).strip() == "f", 120.0, every=0.5)
        self._run_until("resume", leader)
        eventually(lambda: self._databases.primary() is leader, 60.0, every=0.5)
        self._run_until("list", leader)
        eventually(lambda: self._is_copied(leader), 120.0, every=0.5)

    def _is_copied(self, leader: Host) -> bool:
        """Return whether the others have the leader's history; until they are copied they show that of before."""
        told = self._run(leader, ["patronictl", "-c", _PATRONI_YML, "list", "nova", "--format", "json"])
        members = json.loads(told)
        roles = sorted(each["Role"] for each in members)
        return roles == ["Leader", "Replica", "Sync Standby"] and len({each.get("TL") for each in members}) == 1

    def back_up_by_night(self) -> None:
        """Run what the hosts run every night; one of them makes a backup."""
        (nightly,) = re.findall(r"^0 3 \* \* \* postgres (.*)$", steps.section(_TITLE), re.MULTILINE)
        before = self._backups()
        for host in self._databases.hosts:
            self._run(host, [*_AS_POSTGRES, "sh", "-c", nightly])
        assert self._backups() == before + 1

    def await_archived(self) -> None:
        """Wait until the primary has archived all that has been written up to now."""
        with _as_superuser(self._databases) as connection:
            connection.execute("CHECKPOINT")
            row = connection.execute("SELECT pg_walfile_name(pg_switch_wal())").fetchone()
            assert row is not None

            def is_archived() -> bool:
                told = connection.execute("SELECT last_archived_wal FROM pg_stat_archiver").fetchone()
                return told is not None and str(told[0]) >= row[0]

            eventually(is_archived, 60.0, every=0.2)

    def _run_until(self, last: str, leader: Host, moment: str = _TARGET) -> None:
        """Run the next commands with this host as the leader, up to one that has this word."""
        others = [host for host in self._databases.hosts if host is not leader]
        names = {"pg1": leader.name, "pg2": others[0].name, "pg3": others[1].name}
        command: tuple[str, ...] = ()
        while last not in command:
            command = self.left.pop(0)
            print(self._run(leader, [names.get(argument, argument).replace(_TARGET, moment) for argument in command]))

    def _backups(self) -> int:
        host = self._databases.hosts[0]
        told = self._run(host, [*_AS_POSTGRES, "pgbackrest", "--stanza=nova", "info"])
        return told.count("full backup:") + told.count("incr backup:")

    def _succeeds(self, host: Host, command: Sequence[str]) -> bool:
        try:
            self._run(host, command)
        except subprocess.CalledProcessError as error:
            print(error.stdout, error.stderr)
            return False
        return True

    def _run(self, host: Host, command: Sequence[str]) -> str:
        """Run a command of the document on a host, with the places and the account of the drill."""
        account = None
        if tuple(command[:4]) == _AS_POSTGRES:
            command, account = command[4:], self._account
        places = {
            _PATRONI_YML: str(host.folder / "patroni.yml"),
            "/usr/lib/postgresql/15/bin": str(POSTGRES_BIN),
            "/var/lib/postgresql/15/nova": str(data_folder(host)),
            "/var/log/postgresql": str(host.folder / "log"),
            # The backup may be of another host, whose socket would be another one here, where they share their files.
            "listen_addresses=10.0.0.11": (
                f"listen_addresses={host.address} -c unix_socket_directories={host.folder / 'postgres'}"
            ),
        }
        for old, new in places.items():
            command = [argument.replace(old, new) for argument in command]
        told = {
            "PGBACKREST_CONFIG": str(host.folder / "pgbackrest.conf"),
            "PGHOST": str(host.folder / "postgres"),
            "PGUSER": "postgres",
        }
        try:
            return host.run(["env", *(f"{name}={value}" for name, value in told.items()), *command], account=account)
        except subprocess.CalledProcessError as error:
            log = host.folder / "log" / "recovery.log"
            error.add_note(f"{error.stdout}{error.stderr}{log.read_text() if log.exists() else ''}")
            raise


def _as_superuser(databases: PostgresHosts) -> psycopg.Connection[TupleRow]:
    return psycopg.connect(databases.url("postgres"), autocommit=True)


def _insert(databases: PostgresHosts, number: int) -> None:
    with _as_superuser(databases) as connection:
        connection.execute("INSERT INTO kept VALUES (%s)", (number,))


def _moment(databases: PostgresHosts) -> str:
    """Return the database's time; nothing is written in the second after it."""
    with _as_superuser(databases) as connection:
        row = connection.execute("SELECT clock_timestamp()::text, pg_sleep(1)").fetchone()
    assert row is not None
    return str(row[0])


def _epoch(databases: PostgresHosts) -> str:
    with _as_superuser(databases) as connection:
        row = connection.execute("SELECT value FROM epoch").fetchone()
    assert row is not None
    return str(row[0])


def _fail_over(databases: PostgresHosts) -> None:
    """Kill the primary's host, and start it again once another one has taken over."""
    host = databases.await_primary()
    host.crash()
    eventually(lambda: databases.primary() not in (None, host), 60.0, every=0.2)
    host.boot()
    databases.await_all()


def _novaluna(databases: PostgresHosts, name: str) -> None:
    """Run a command of the service that changes the database."""
    environ = {"DATABASE_URL": databases.url(SERVICE), "NOVALUNA_OWNER_URL": databases.url(OWNER)}
    subprocess.run(
        [sys.executable, "-m", "service.cli", name],
        check=True,
        env={"PATH": os.environ["PATH"], "NOVALUNA_SECRET_KEY": KEY} | environ,
        timeout=120,
    )
