"""Puts a backup into an empty database, brings it to this version's schema, and checks what has come back."""

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

import psycopg

from service.backup.checksum import Summing
from service.backup.encryption import SEALED, cut_short, damaged, unseal
from service.backup.errors import KeepingError
from service.backup.postgres_tools import Feed, Programs
from service.store import migrate

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

_PLAIN = b"PGDMP"
"""How a file of pg_dump begins that nobody encrypted."""

_GUARDS = """
SELECT count(*) FROM pg_trigger
 WHERE tgrelid IN ('log'::regclass, 'setups'::regclass) AND tgname LIKE 'append_only%' AND tgenabled = 'A'
"""


_FIRST_SUMMED = "0020"
"""The schema of the first release that wrote checksums: without one a backup of it, or of a later one, is cut short."""

_UNSUMMED = "the backup is from before backups had a checksum, so a changed byte in it may not have been noticed"


@contextmanager
def verified(programs: Programs, source: Path | IO[bytes], key: str | None) -> Iterator[tuple[IO[bytes], list[str]]]:
    """A backup that was read to its end and is whole, as a file to `restore` from, and a sentence for what is to be said of
    it. No database is needed for that, and nothing is written.

    Raises:
        KeepingError: it is no backup, damaged, cut short, encrypted for another key, or made by a later version.
    """
    with _file(source) as file:
        summing = Summing()
        is_dump = _is_dump(file)
        _pass(file, key, summing)
        found = summing.sum
        if found.stated is not None and not found.holds:
            raise damaged()
        if not is_dump:
            raise KeepingError("This is no backup of the service.")
        schema = _check(programs, file, key, is_whole=found.holds)
        if not found.holds and schema >= _FIRST_SUMMED:
            raise cut_short()
        yield file, [] if found.holds else [_UNSUMMED]


def restore(programs: Programs, file: IO[bytes], key: str | None, finish: Callable[[], list[str]]) -> list[str]:
    """Put a backup back.

    Args:
        programs: with an empty database, as the owner of the tables to come.
        file: the backup, as `verified` gives it.
        key: the age identity, if the backup is encrypted.
        finish: called when all is there: runs the migrations, and gives a sentence for each thing that is amiss.

    Returns:
        A sentence for each thing that is amiss in what was put back.

    Raises:
        KeepingError: the database is not empty, or it could not be put back. Nothing is in the database then.
        LocalError: the programs of Postgres are missing.
        psycopg.OperationalError: the database can't be reached.
    """
    with psycopg.connect(programs.url, connect_timeout=10, autocommit=True) as connection:
        if connection.execute(_TABLES).fetchone() != (0,):
            raise KeepingError(
                "The database is not empty, and nothing is ever put over what is there. For `novaluna up`, take a new "
                "folder with --data; else make a new database and give it by DATABASE_URL."
            )
        put = [
            "pg_restore",
            "--single-transaction",
            "--no-owner",
            "--no-privileges",
            "--exit-on-error",
            "--no-password",
        ]
        _feed(programs, [*put, programs.database], file, key, subprocess.DEVNULL)
        amiss = finish()
        if connection.execute(_GUARDS).fetchone() != (4,):
            amiss.append("the triggers that keep set-ups and log append-only are not all there")
    return amiss


_TABLES = (
    "SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v')"
)


def _check(programs: Programs, file: IO[bytes], key: str | None, *, is_whole: bool) -> str:
    """Return the schema of a backup that this version can take; refuse others. One that no checksum tells to be whole is
    taken apart to its end."""
    if not is_whole:
        try:
            _feed(programs, ["pg_restore", "--file=/dev/null"], file, key, subprocess.DEVNULL)
        except KeepingError as error:
            raise KeepingError(f"{cut_short()} ({error})") from None
    with tempfile.TemporaryFile() as out:
        argv = ["pg_restore", "--data-only", "--table=alembic_version", "--file=-"]
        _feed(programs, argv, file, key, out)
        out.seek(0)
        lines = out.read().decode(errors="replace").splitlines()
    heads = [lines[number + 1] for number, line in enumerate(lines) if line.startswith("COPY ")]
    if not heads:
        raise KeepingError("This is no backup of the service: it holds another database.")
    if not migrate.knows(heads[0]):
        raise KeepingError(
            f"The backup was made by a later version of the service (schema {heads[0]}). Restore it with that version."
        )
    return heads[0]


def _feed(programs: Programs, argv: list[str], file: IO[bytes], key: str | None, stdout: int | IO[bytes]) -> None:
    """Has a program read the backup from its beginning to its end."""
    file.seek(0)
    with programs.running(argv, stdin=subprocess.PIPE, stdout=stdout) as process:
        assert process.stdin is not None
        into = Feed(process.stdin)
        try:
            _pass(file, key, into)
        finally:
            into.close()


def _pass(file: IO[bytes], key: str | None, into: "SupportsWrite[bytes]") -> None:
    """Give the whole backup on, decrypted."""
    file.seek(0)
    if file.read(len(SEALED)) == SEALED:
        file.seek(0)
        unseal(key, file, into)
    else:
        file.seek(0)
        shutil.copyfileobj(file, into)


def _is_dump(file: IO[bytes]) -> bool:
    """Return whether it begins as a backup does."""
    file.seek(0)
    return file.read(len(SEALED)).startswith((SEALED, _PLAIN))


@contextmanager
def _file(source: Path | IO[bytes]) -> Iterator[IO[bytes]]:
    """Something that can be read twice. What comes in a stream is kept as it comes, so an encrypted backup stays one."""
    if isinstance(source, Path):
        try:
            with source.open("rb") as file:
                yield file
        except OSError as error:
            if error.filename != str(source):
                raise
            raise KeepingError(f"{source} can't be read: {error.strerror}.") from None
        return
    with tempfile.TemporaryFile() as file:
        shutil.copyfileobj(source, file)
        yield file
