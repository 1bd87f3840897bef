"""Create the data files of an embedded Postgres with initdb."""

import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from service.local.account import SystemAccount
from service.local.binaries import Binaries
from service.local.child import spawn
from service.local.errors import LocalError
from service.local.server_log import ServerLog

USER = "novaluna"
"""The role that owns the database and everything in it."""

SERVICE = "novaluna_service"
"""The role that the web server and the worker connect as; the migrations create it."""

DATABASE = "novaluna"
_TICK = 0.02


def environment() -> dict[str, str]:
    """Return the environment for Postgres programs: UTC, and no PG… variable that would change what they do."""
    return {"PATH": os.defpath, "LC_ALL": "C.UTF-8", "TZ": "UTC"} | {
        name: os.environ[name] for name in ("LD_LIBRARY_PATH", "TMPDIR") if name in os.environ
    }


@dataclass(frozen=True)
class ClusterCreator:
    """A creator of database clusters.

    Attributes:
        account: the account that will own the files.
        lock: the file descriptor of a lock, which every process that writes to the files inherits.
        pause: called with a number of seconds while waiting; an exception that it raises aborts the creation.
    """

    programs: Binaries
    account: SystemAccount
    log: ServerLog
    lock: int
    pause: Callable[[float], None]

    def create(self, data: Path, options: Sequence[str], sync: bool) -> None:
        """Create the cluster with its role and database, unless it exists.

        It is created under another name and renamed when it is complete, so an interrupted first start leaves no
        partial cluster.

        Args:
            data: the folder of the cluster; its parent folder belongs to the account.
            options: command-line arguments for Postgres that hold its settings.
            sync: wait until the files are on disk; turn off only if they may be lost.

        Raises:
            LocalError: the cluster cannot be created, or an existing one belongs to another version of Postgres.
        """
        version = data / "PG_VERSION"
        if version.exists():
            made = version.read_text().strip()
            if made != self.programs.major:
                raise LocalError(
                    f"{data} was made by Postgres {made}, these programs are version {self.programs.version}. "
                    f"Give the bin folder of a Postgres {made} by NOVALUNA_POSTGRES_BIN, or take another --data."
                )
            return
        new = data.with_name(data.name + ".new")
        if new.exists():
            shutil.rmtree(new)
        initdb = [self.programs.program("initdb"), "-D", str(new), "-U", USER, "-A", "trust", "-E", "UTF8"]
        initdb += ["--locale=C.UTF-8", "--data-checksums", "--no-instructions", *([] if sync else ["--no-sync"])]
        self._run(initdb, "", data.parent)
        single = [self.programs.program("postgres"), "--single", "-D", str(new), *options, "template1"]
        self._run(single, f"CREATE DATABASE {DATABASE}\n", data.parent)
        new.rename(data)

    def _run(self, argv: Sequence[str], text: str, cwd: Path) -> None:
        with tempfile.TemporaryFile() as stdin, self.log.open() as out:
            stdin.write(text.encode())
            stdin.seek(0)
            process = spawn(
                argv,
                env=environment(),
                last_signal=signal.SIGKILL,
                account=self.account,
                stdin=stdin,
                stdout=out,
                stderr=out,
                pass_fds=(self.lock,),
                cwd=cwd,
            )
            try:
                while process.poll() is None:
                    self.pause(_TICK)
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)  # initdb has children
                    process.wait()
            if process.returncode != 0:
                raise LocalError(f"{argv[0]} failed. {self.log.tail()}")
