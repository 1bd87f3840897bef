"""Restore a backup into an empty database, upgrade it to the current schema, and check the result."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

import psycopg

from service.backup import older_server
from service.backup.checksum import ChecksumReader
from service.backup.encryption import AGE_HEADER, cut_short, damaged, decrypt
from service.backup.errors import BackupError
from service.backup.postgres_tools import Feed, PostgresTools
from service.backup.temporary_files import room_for_temporary_files, temporary_file
from service.store import migrate

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

_DUMP_HEADER = b"PGDMP"
"""The first bytes of an unencrypted pg_dump file."""

_GUARDED = (
    "log",
    "setups",
    "checkpoint_logs",
    "checkpoint_keys",
    "checkpoint_closings",
    "checkpoint_batches",
    "checkpoint_notes",
    "checkpoint_tiles",
    "checkpoint_leaves",
)
"""The tables that are append-only, each by two triggers."""

_PUT = ("--no-owner", "--no-privileges")
"""The options of pg_restore about what it restores."""

_TRIGGERS = """
SELECT count(*) FROM pg_trigger
 WHERE tgrelid = ANY (%s::regclass[]) AND tgname LIKE 'append_only%%' AND tgenabled = 'A'
"""


_FIRST_WITH_CHECKSUM = "0020"
"""The schema of the first release that wrote checksums: a backup of it, or a later one, without one is truncated."""

_NO_CHECKSUM = "the backup is from before backups had a checksum, so a changed byte in it may not have been noticed"


@contextmanager
def open_verified(
    tools: PostgresTools, source: Path | IO[bytes], key: str | None
) -> Iterator[tuple[IO[bytes], list[str]]]:
    """Read a backup to its end, check that it is complete, and yield it as a seekable file, with warnings about it.

    This needs no database and changes nothing.

    Raises:
        BackupError: it is no backup, damaged, truncated, encrypted for another key, or made by a later version.
    """
    with _file(source) as file:
        reader = ChecksumReader()
        is_dump = _is_dump(file)
        _copy_decrypted(file, key, reader)
        found = reader.checksum
        if found.stated is not None and not found.is_valid:
            raise damaged()
        if not is_dump:
            raise BackupError("This is no backup of the service.")
        schema = _check(tools, file, key, is_whole=found.is_valid)
        if not found.is_valid and schema >= _FIRST_WITH_CHECKSUM:
            raise cut_short()
        yield file, [] if found.is_valid else [_NO_CHECKSUM]


def restore(tools: PostgresTools, file: IO[bytes], key: str | None, finish: Callable[[], list[str]]) -> list[str]:
    """Restore a backup into an empty database.

    Args:
        tools: the Postgres tools, connected as the future owner of the tables.
        file: the backup, from `open_verified`.
        key: the age identity, if the backup is encrypted.
        finish: called when the data is there; it runs the migrations and returns a sentence for each inconsistency.

    Returns:
        A sentence for each inconsistency in the restored data.

    Raises:
        BackupError: the database is not empty, or the restore failed and left nothing in it.
        LocalError: the Postgres programs are missing.
        psycopg.OperationalError: the database cannot be reached.
    """
    with psycopg.connect(tools.url, connect_timeout=10, autocommit=True) as connection:
        if connection.execute(_TABLES).fetchone() != (0,):
            raise BackupError(
                "The database is not empty, and nothing is ever put over what is there. For `novaluna up`, take a new "
                "folder with --data; else make a new database and give it by DATABASE_URL."
            )
        if connection.info.server_version < older_server.FIRST:
            older_server.restore(tools, _PUT, lambda into: _copy_decrypted(file, key, into))
        else:
            argv = ["pg_restore", "--single-transaction", "--exit-on-error", "--no-password", *_PUT, tools.database]
            _feed(tools, argv, file, key, subprocess.DEVNULL)
        amiss = finish()
        if connection.execute(_TRIGGERS, [list(_GUARDED)]).fetchone() != (2 * len(_GUARDED),):
            amiss.append("the triggers that keep set-ups, log and checkpoints append-only are not all there")
    return amiss


_TABLES = (
    "SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v')"
)


def _check(tools: PostgresTools, file: IO[bytes], key: str | None, *, is_whole: bool) -> str:
    """Return the schema of a backup, and refuse one that this version cannot restore.

    A backup without a valid checksum is first read to its end by pg_restore.
    """
    if not is_whole:
        try:
            _feed(tools, ["pg_restore", "--file=/dev/null"], file, key, subprocess.DEVNULL)
        except BackupError as error:
            raise BackupError(f"{cut_short()} ({error})") from None
    with temporary_file() as out:
        argv = ["pg_restore", "--data-only", "--table=alembic_version", "--file=-"]
        _feed(tools, argv, file, key, out)
        out.seek(0)
        lines = out.read().decode(errors="replace").splitlines()
    heads = [lines[number + 1] for number, line in enumerate(lines) if line.startswith("COPY ")]
    if not heads:
        raise BackupError("This is no backup of the service: it holds another database.")
    if not migrate.knows(heads[0]):
        raise BackupError(
            f"The backup was made by a later version of the service (schema {heads[0]}). Restore it with that version."
        )
    return heads[0]


def _feed(tools: PostgresTools, argv: list[str], file: IO[bytes], key: str | None, stdout: int | IO[bytes]) -> None:
    """Run a program that reads the whole backup from its standard input."""
    file.seek(0)
    with tools.running(argv, stdin=subprocess.PIPE, stdout=stdout) as process:
        assert process.stdin is not None
        into = Feed(process.stdin)
        try:
            _copy_decrypted(file, key, into)
        finally:
            into.close()


def _copy_decrypted(file: IO[bytes], key: str | None, into: "SupportsWrite[bytes]") -> None:
    """Copy the whole backup to a stream, decrypted."""
    file.seek(0)
    if file.read(len(AGE_HEADER)) == AGE_HEADER:
        file.seek(0)
        decrypt(key, file, into)
    else:
        file.seek(0)
        shutil.copyfileobj(file, into)


def _is_dump(file: IO[bytes]) -> bool:
    """Return whether the file begins like a backup."""
    file.seek(0)
    return file.read(len(AGE_HEADER)).startswith((AGE_HEADER, _DUMP_HEADER))


@contextmanager
def _file(source: Path | IO[bytes]) -> Iterator[IO[bytes]]:
    """Open the source so that it can be read twice.

    A stream is copied to a temporary file as it arrives, so an encrypted backup stays encrypted on disk.
    """
    if isinstance(source, Path):
        try:
            with source.open("rb") as file:
                yield file
        except OSError as error:
            if error.filename != str(source):
                raise
            raise BackupError(f"{source} can't be read: {error.strerror}.") from None
        return
    with temporary_file() as file:
        with room_for_temporary_files():
            shutil.copyfileobj(source, file)
            file.flush()
        yield file
