"""Puts a backup into an empty database, brings it to this version's schema, and checks what has come back."""

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import psycopg

from service.keeping.errors import KeepingError
from service.keeping.programs import Feed, Programs
from service.keeping.sealing import SEALED, unseal
from service.store import migrate

_PLAIN = b"PGDMP"
"""How a file of pg_dump begins that nobody encrypted."""

_GUARDS = """
SELECT count(*) FROM pg_trigger
 WHERE tgrelid IN ('log'::regclass, 'setups'::regclass) AND tgname LIKE 'append_only%' AND tgenabled = 'A'
"""


def restore(
    programs: Programs, source: Path | IO[bytes], key: str | None, finish: Callable[[], list[str]]
) -> list[str]:
    """Puts a backup back.

    Args:
        programs: with an empty database, as the owner of the tables to come.
        source: the file, or a stream.
        key: the age identity, if the backup is encrypted.
        finish: called when all is there: runs the migrations, and gives a sentence for each thing that is amiss.

    Returns:
        A sentence for each thing that is amiss in what was put back.

    Raises:
        KeepingError: it is no backup, can't be opened or doesn't fit. Nothing is in the database then.
        LocalError: the programs of Postgres are missing.
        psycopg.OperationalError: the database can't be reached.
    """
    with _file(source) as file, psycopg.connect(programs.url, connect_timeout=10, autocommit=True) as connection:
        if connection.execute(_TABLES).fetchone() != (0,):
            raise KeepingError(
                "The database is not empty, and nothing is ever put over what is there. For `novaluna up`, take a new "
                "folder with --data; else make a new database and give it by DATABASE_URL."
            )
        _check(programs, file, key)
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


def _check(programs: Programs, file: IO[bytes], key: str | None) -> None:
    """Reads the whole file once, and looks which version made it."""
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


def _feed(programs: Programs, argv: list[str], file: IO[bytes], key: str | None, stdout: int | IO[bytes]) -> None:
    """Has a program read the backup from its beginning to its end."""
    file.seek(0)
    with programs.running(argv, stdin=subprocess.PIPE, stdout=stdout) as process:
        assert process.stdin is not None
        into = Feed(process.stdin)
        try:
            if _is_sealed(file):
                unseal(key, file, into)
            else:
                shutil.copyfileobj(file, into)
        finally:
            into.close()


def _is_sealed(file: IO[bytes]) -> bool:
    """Whether it is encrypted. Raises KeepingError if it isn't one of ours at all."""
    head = file.read(len(SEALED))
    file.seek(0)
    if head == SEALED:
        return True
    if not head.startswith(_PLAIN):
        raise KeepingError("This is no backup of the service.")
    return False


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
