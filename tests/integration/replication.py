"""A Postgres with streaming replicas on this machine."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict

from service.local.account import postgres_account
from service.local.postgres import Postgres
from tests.support.running import eventually


class StreamingReplica:
    """A replica of a Postgres in a folder of its own.

    Attributes:
        folder: its data folder, and that of its socket.
    """

    def __init__(self, primary: Postgres, folder: Path, programs: Path) -> None:
        self.folder = folder
        self._account = postgres_account()
        self._programs = programs
        self._socket = folder / "socket"
        told = conninfo_to_dict(primary.url)
        source = f"host={told['host']} port={told['port']} user={told['user']}"
        folder.mkdir(mode=0o700)
        shutil.chown(folder, self._account.uid, self._account.gid)
        self._run("pg_basebackup", "-d", source, "-D", str(folder / "pg"), "-R", "-X", "stream", "-c", "fast")
        self._run("mkdir", str(self._socket))
        self._database = f"postgresql://{told['user']}@/{told['dbname']}"
        self.process: subprocess.Popen[bytes] | None = None

    def url(self, like: str) -> str:
        """Return the address of the database here that `like` is the address of at the primary."""
        told = conninfo_to_dict(like)
        return f"postgresql://{told['user']}@/{told['dbname']}?host={self._socket}&port=5432"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        settings = {
            "listen_addresses": "", "unix_socket_directories": str(self._socket), "port": "5432", "fsync": "off",
            "hot_standby": "on", "max_connections": "400", "max_standby_streaming_delay": "0",
        }  # fmt: skip
        told = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with (self.folder.parent / f"{self.folder.name}.log").open("ab") as log:
            self.process = subprocess.Popen(
                [*self._as_account(), str(self._programs / "postgres"), "-D", str(self.folder / "pg"), *told],
                stdout=log, stderr=log, cwd="/", env={"PATH": os.defpath},
            )  # fmt: skip
        eventually(self._answers)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop it at once and wait for it."""
        if self.process is not None:
            self.process.send_signal(signal.SIGCONT)
            self.process.send_signal(how)
            self.process.wait()
            self.process = None

    def ask(self, statement: str) -> object:
        """Return the value of a statement here, as the owner."""
        with psycopg.connect(f"{self._database}?host={self._socket}&port=5432", autocommit=True) as connection:
            row = connection.execute(statement.encode()).fetchone()
        return None if row is None else row[0]

    def _answers(self) -> bool:
        try:
            with psycopg.connect(f"{self._database}?host={self._socket}&port=5432"):
                return True
        except psycopg.OperationalError:
            return False

    def _as_account(self) -> list[str]:
        if self._account.is_self:
            return []
        return ["setpriv", f"--reuid={self._account.uid}", f"--regid={self._account.gid}", "--clear-groups"]

    def _run(self, program: str, *told: str) -> None:
        path = program if program == "mkdir" else str(self._programs / program)
        subprocess.run(
            [*self._as_account(), path, *told], check=True, capture_output=True, cwd="/", env={"PATH": os.defpath}
        )


@contextmanager
def replicas(primary: Postgres, folder: Path, programs: Path, count: int = 1) -> Iterator[list[StreamingReplica]]:
    """Run so many replicas of a running Postgres during the block."""
    made = []
    try:
        for number in range(count):
            replica = StreamingReplica(primary, folder / f"replica{number}", programs)
            made.append(replica)
            replica.start()
        yield made
    finally:
        for replica in made:
            replica.stop(signal.SIGQUIT)
