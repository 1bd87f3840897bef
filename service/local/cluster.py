"""Making the files of a Postgres, once."""

import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from service.local.account import Account
from service.local.binaries import Binaries
from service.local.child import spawn
from service.local.errors import LocalError
from service.local.server_log import ServerLog

USER = "novaluna"
"""The role that owns everything."""

SERVICE = "novaluna_service"
"""The role that the web server and the worker use; the migrations make it."""

DATABASE = "novaluna"
_TICK = 0.02


def environment() -> dict[str, str]:
    """What the programs of Postgres get to see: no PG… variable that would change what they do, and UTC."""
    return {"PATH": os.defpath, "LC_ALL": "C.UTF-8", "TZ": "UTC"} | {
        name: os.environ[name] for name in ("LD_LIBRARY_PATH", "TMPDIR") if name in os.environ
    }


@dataclass(frozen=True)
class Maker:
    """Makes the files with these means.

    Attributes:
        account: whom they shall belong to.
        lock: the descriptor of a lock that every process which writes to them holds.
        pause: called with seconds while waiting; an exception out of it ends the making.
    """

    programs: Binaries
    account: Account
    log: ServerLog
    lock: int
    pause: Callable[[float], None]

    def make(self, data: Path, options: Sequence[str], sync: bool) -> None:
        """Makes the cluster with its user and database, if there is none yet.

        It is made beside and renamed when all is there: a first start that was cut short leaves no half cluster.

        Args:
            data: where it shall be; the folder above belongs to the account.
            options: arguments of Postgres with its settings.
            sync: wait for the disk; off only where the files may be lost.

        Raises:
            LocalError: it can't be made, or the one that is there is another version's.
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
