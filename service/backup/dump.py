"""Write a backup: one file with the whole database as of one moment, made while games go on."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import psycopg

from service.backup.checksum import ChecksummedStream
from service.backup.encryption import encryptor
from service.backup.errors import BackupError
from service.backup.postgres_tools import PostgresTools
from service.part_file import replacing

# Owners and privileges are set anew by a restore. Unlogged tables, counters that a crash loses anyway, are left out.
# A running migration is waited for.
_DUMP = (
    "pg_dump",
    "--format=custom",
    "--no-owner",
    "--no-privileges",
    "--no-unlogged-table-data",
    "--lock-wait-timeout=20s",
    "--no-password",
)

_UNREADABLE = """
SELECT count(*) FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
 WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
   AND (relkind IN ('r', 'p') AND NOT has_table_privilege(pg_class.oid, 'SELECT')
        OR relkind = 'S' AND NOT has_sequence_privilege(pg_class.oid, 'SELECT'))
"""


def backup(tools: PostgresTools, target: Path | IO[bytes], key: str | None) -> None:
    """Write a backup of the database, encrypted if a key is given.

    Args:
        tools: the Postgres tools, connected as the owner of the tables.
        target: a stream or a path. A file appears under its name only when it is complete and on disk, replaces one of
            the same name, and is readable by its owner alone. A device or named pipe is written to directly.
        key: an age recipient or identity; None: the backup is not encrypted.

    Raises:
        BackupError: the backup could not be written; no partial file is left.
        LocalError: the Postgres programs are missing.
        psycopg.OperationalError: the database cannot be reached.
    """
    _check_database(tools)
    encrypt = encryptor(key) or shutil.copyfileobj
    with _opened(target) as out, tools.running([*_DUMP, tools.database], stdout=subprocess.PIPE) as dump:
        assert dump.stdout is not None
        encrypt(ChecksummedStream(dump.stdout), out)


def _check_database(tools: PostgresTools) -> None:
    with psycopg.connect(tools.url, connect_timeout=10) as connection:
        server = connection.info.server_version // 10_000
        if connection.execute("SELECT to_regclass('log'), to_regclass('setups')").fetchone() == (None, None):
            raise BackupError("There is nothing to back up: this database has no tables of the service.")
        _check_rights(connection)
    if tools.major < server:
        raise BackupError(
            f"The database is a Postgres {server}, and pg_dump here is version {tools.major}, which can't read it. "
            f"Give the bin folder of a Postgres {server} or later by NOVALUNA_POSTGRES_BIN."
        )


def _check_rights(connection: psycopg.Connection) -> None:
    """Refuse a role that may not read everything, before pg_dump names one table or sequence after the other."""
    (lacking,) = connection.execute(_UNREADABLE).fetchone() or (0,)
    if lacking:
        (role,) = connection.execute("SELECT current_user").fetchone() or ("",)
        raise BackupError(
            f"The role {role} may not read all tables and sequences. Lead NOVALUNA_OWNER_URL to the same database as "
            "the role that owns them."
        )


@contextmanager
def _opened(target: Path | IO[bytes]) -> Iterator[IO[bytes]]:
    """Open the target for writing: a file under a temporary name until it is complete, others directly."""
    if isinstance(target, Path) and target.exists() and not (target.is_file() or target.is_dir()):
        try:
            with target.open("wb") as device:
                yield device
        except OSError as error:
            raise BackupError(f"{target} could not be written: {error.strerror or error}.") from None
        return
    if not isinstance(target, Path):
        try:
            yield target
            target.flush()
        except OSError as error:
            raise BackupError(f"The backup could not be written: {error.strerror or error}.") from None
        return
    try:
        with replacing(target, 0o600) as out:
            yield out
    except OSError as error:
        raise BackupError(f"{target} can't be written: {error.strerror or error}.") from None
