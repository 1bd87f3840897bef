"""A Postgres with streaming replicas on this machine."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict

from service.local.account import postgres_account

_PATIENCE = 60.0


class StreamingReplica:
    """A replica of a Postgres in a folder of its own.

    Args:
        primary: the address of a database of the primary, as its owner; the owner is a superuser.
        folder: a folder that does not exist yet; its parents must be open to the account of Postgres.
        programs: the folder of the Postgres programs.
    """

    def __init__(self, primary: str, folder: Path, programs: Path) -> None:
        self._folder = folder
        self._account = postgres_account()
        self._programs = programs
        self._socket = folder / "socket"
        self._process: subprocess.Popen[bytes] | None = None
        told = conninfo_to_dict(primary)
        self._own = f"postgresql://{told['user']}@/{told['dbname']}?host={self._socket}&port=5432"
        source = f"host={told['host']} port={told['port']} user={told['user']}"
        folder.mkdir(mode=0o700)
        shutil.chown(folder, self._account.uid, self._account.gid)
        self._run_program(str(programs / "pg_basebackup"), "-d", source, "-D", str(folder / "pg"), "-R", "-c", "fast")
        self._run_program("mkdir", str(self._socket))
        if not self._account.is_self:
            folder.chmod(0o711)
            self._socket.chmod(0o755)

    def url(self, like: str) -> str:
        """Return the address here of the database and the role of an address at the primary."""
        told = conninfo_to_dict(like)
        return f"postgresql://{told['user']}@/{told['dbname']}?host={self._socket}&port=5432"

    @property
    def pid(self) -> int:
        """The process id of its postmaster, while it runs."""
        assert self._process is not None, "it runs"
        return self._process.pid

    def start(self) -> None:
        """Start it, and wait until it answers."""
        settings = {
            "listen_addresses": "", "unix_socket_directories": str(self._socket), "port": "5432",
            "hot_standby": "on", "max_connections": "400", "max_standby_streaming_delay": "0",
        }  # fmt: skip
        told = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with (self._folder.parent / f"{self._folder.name}.log").open("ab") as log:
            self._process = subprocess.Popen(
                [*self._as_account(), str(self._programs / "postgres"), "-D", str(self._folder / "pg"), *told],
                stdout=log, stderr=log, cwd="/", env={"PATH": os.defpath},
            )  # fmt: skip
        deadline = time.monotonic() + _PATIENCE
        while not self._answers():
            if time.monotonic() > deadline or self._process.poll() is not None:
                raise RuntimeError("the replica did not start")
            time.sleep(0.02)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop it and wait for it."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()
            self._process = None

    def ask(self, statement: str) -> object:
        """Return the value of a statement here, as the owner."""
        with psycopg.connect(self._own, autocommit=True) as connection:
            row = connection.execute(statement.encode()).fetchone()
        return None if row is None else row[0]

    def run(self, *statements: str) -> None:
        """Run statements here, as the owner."""
        with psycopg.connect(self._own, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def _answers(self) -> bool:
        try:
            with psycopg.connect(self._own):
                return True
        except psycopg.OperationalError:
            return False

    def _as_account(self) -> list[str]:
        if self._account.is_self:
            return []
        return ["setpriv", f"--reuid={self._account.uid}", f"--regid={self._account.gid}", "--clear-groups"]

    def _run_program(self, *told: str) -> None:
        done = subprocess.run(
            [*self._as_account(), *told], capture_output=True, text=True, cwd="/", env={"PATH": os.defpath}
        )
        if done.returncode:
            raise RuntimeError(f"{told[0]} failed: {done.stderr}")


@contextmanager
def replicas(primary: str, pid: int, folder: Path, count: int = 1) -> Iterator[list[StreamingReplica]]:
    """Run replicas of a running Postgres during the block.

    Args:
        primary: the address of a database of the primary, as its owner.
        pid: the process id of its postmaster, whose programs are used.
        folder: a folder for their data, open to the account of Postgres.
        count: the number of replicas.
    """
    programs = Path(f"/proc/{pid}/exe").resolve().parent
    made: list[StreamingReplica] = []
    try:
        for number in range(count):
            made.append(StreamingReplica(primary, folder / f"replica{number}", programs))
            made[-1].start()
        yield made
    finally:
        for replica in made:
            replica.stop(signal.SIGQUIT)
