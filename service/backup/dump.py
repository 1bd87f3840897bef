"""Makes a backup: one file with all that is in the database, as it stood at one moment while games go on."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import psycopg

from service.backup.checksum import Summed
from service.backup.encryption import sealing
from service.backup.errors import KeepingError
from service.backup.postgres_tools import Programs

#: Whom tables belong to and who may do what is settled anew where they are put back. Counters that are lost with a
#: crash are left out. A migration that is at work is waited for a moment.
_DUMP = (
    "pg_dump",
    "--format=custom",
    "--no-owner",
    "--no-privileges",
    "--no-unlogged-table-data",
    "--lock-wait-timeout=20s",
    "--no-password",
)


def backup(programs: Programs, target: Path | IO[bytes], key: str | None) -> None:
    """Writes a backup of the database, encrypted if there is a key.

    Args:
        programs: with the database as the owner of its tables.
        target: a file, which is there, in whole and on the disk, only when this returns; one of this name is replaced.
            Nobody else can read it. A device or a pipe of this name is written to. Or a stream.
        key: an age recipient or identity.

    Raises:
        KeepingError: it could not be made; nothing is left of it.
        LocalError: the programs of Postgres are missing.
        psycopg.OperationalError: the database can't be reached.
    """
    _check_version(programs)
    seal = sealing(key) or shutil.copyfileobj
    with _opened(target) as out, programs.running([*_DUMP, programs.database], stdout=subprocess.PIPE) as dump:
        assert dump.stdout is not None
        seal(Summed(dump.stdout), out)


def _check_version(programs: Programs) -> None:
    with psycopg.connect(programs.url, connect_timeout=10) as connection:
        server = connection.info.server_version // 10_000
        if connection.execute("SELECT to_regclass('log'), to_regclass('setups')").fetchone() == (None, None):
            raise KeepingError("There is nothing to back up: this database has no tables of the service.")
    if programs.major < server:
        raise KeepingError(
            f"The database is a Postgres {server}, and pg_dump here is version {programs.major}, which can't read it. "
            f"Give the bin folder of a Postgres {server} or later by NOVALUNA_POSTGRES_BIN."
        )


@contextmanager
def _opened(target: Path | IO[bytes]) -> Iterator[IO[bytes]]:
    """The file under another name until it is whole; a stream as it is, and what is no file, such as ``/dev/stdout``."""
    if isinstance(target, Path) and target.exists() and not (target.is_file() or target.is_dir()):
        try:
            with target.open("wb") as device:
                yield device
        except OSError as error:
            raise KeepingError(f"{target} could not be written: {error.strerror or error}.") from None
        return
    if not isinstance(target, Path):
        try:
            yield target
            target.flush()
        except OSError as error:
            raise KeepingError(f"The backup could not be written: {error.strerror or error}.") from None
        return
    part = target.with_name(target.name + ".part")
    try:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise KeepingError(f"{part} can't be written: {error.strerror}.") from None
    try:
        with os.fdopen(descriptor, "wb") as out:
            os.fchmod(descriptor, 0o600)
            yield out
            out.flush()
            os.fsync(descriptor)
        part.rename(target)
    except BaseException as error:
        part.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise KeepingError(f"{target} could not be written: {error.strerror or error}.") from None
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
