"""Making the files of a Postgres, once."""

import os
import shutil
import signal
import tempfile
from collections.abc import Sequence
from pathlib import Path

from service.local.account import Account
from service.local.binaries import Binaries
from service.local.child import spawn
from service.local.errors import LocalError
from service.local.server_log import ServerLog

USER = "novaluna"
DATABASE = "novaluna"


def environment() -> dict[str, str]:
    """What the programs of Postgres get to see: no PG… variable that would change what they do, and UTC."""
    return {"PATH": os.defpath, "LC_ALL": "C.UTF-8", "TZ": "UTC"} | {
        name: os.environ[name] for name in ("LD_LIBRARY_PATH", "TMPDIR") if name in os.environ
    }


def make(data: Path, programs: Binaries, account: Account, log: ServerLog, options: Sequence[str], sync: bool) -> None:
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
        if made != programs.major:
            raise LocalError(
                f"{data} was made by Postgres {made}, these programs are version {programs.version}. "
                f"Give the bin folder of a Postgres {made} by NOVALUNA_POSTGRES_BIN, or take another --data."
            )
        return
    new = data.with_name(data.name + ".new")
    if new.exists():
        shutil.rmtree(new)
    initdb = [programs.program("initdb"), "-D", str(new), "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"]
    initdb += ["--data-checksums", "--no-instructions", *([] if sync else ["--no-sync"])]
    _run(initdb, "", account, log, data.parent)
    single = [programs.program("postgres"), "--single", "-D", str(new), *options, "template1"]
    _run(single, f"CREATE DATABASE {DATABASE}\n", account, log, data.parent)
    new.rename(data)


def _run(argv: Sequence[str], text: str, account: Account, log: ServerLog, cwd: Path) -> None:
    with tempfile.TemporaryFile() as stdin, log.open() as out:
        stdin.write(text.encode())
        stdin.seek(0)
        process = spawn(
            argv,
            env=environment(),
            last_signal=signal.SIGKILL,
            account=account,
            stdin=stdin,
            stdout=out,
            stderr=out,
            cwd=cwd,
        )
        if process.wait() != 0:
            raise LocalError(f"{argv[0]} failed. {log.tail()}")
