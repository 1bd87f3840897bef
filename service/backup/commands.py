"""The commands `novaluna backup`, `restore` and `new-epoch`: find the database, the file and the key, and run them."""

import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from sqlalchemy import create_engine
from sqlalchemy.orm import Session

from service.backup import dump
from service.backup import restore as restoring
from service.backup.errors import BackupError, FileError
from service.backup.postgres_tools import find_postgres_tools
from service.commands.rebuild import rebuild
from service.config import Settings
from service.console import say
from service.local.postgres import Postgres
from service.store import epoch
from service.store.base import engine_url
from service.store.migrate import SchemaError, upgrade
from service.store.rights import RoleError
from service.up import bin_folder, data_folder, database_settings, existing_database


def backup(file: str, data: str | None, environ: Mapping[str, str]) -> None:
    """Back up the database of DATABASE_URL, or else the one of `novaluna up`, whether that runs or not.

    Args:
        file: the path to write to; - is standard output.
        data: the data folder; None: see `service.up.data_folder`.
        environ: the environment variables.

    Raises:
        ConfigError, BackupError, LocalError: the text says why not.
        DBAPIError, psycopg.Error: the database can't be used.
    """
    target = sys.stdout.buffer if file == "-" else Path(file).absolute()
    if file == "-" and sys.stdout.isatty():
        raise FileError("A backup is no text for a terminal. Name a file, or lead standard output to a program.")
    with existing_database(data, environ) as settings:
        dump.backup(find_postgres_tools(bin_folder(environ), _owner(settings)), target, settings.backup_key)
    if settings.backup_key is None:
        say("the backup is not encrypted: it holds addresses, and the seeds of games that run. See NOVALUNA_BACKUP_KEY")


def restore(file: str, data: str | None, environ: Mapping[str, str]) -> list[str]:
    """Restore a backup into the database of DATABASE_URL, or else into a data folder that no `novaluna up` is using.

    Args:
        file: the path to read; - is standard input.
        data: as for `backup`. A Postgres is created in the folder if there is none.
        environ: the environment variables.

    Returns:
        A sentence for each inconsistency in the restored data.

    Raises:
        ConfigError, BackupError, LocalError: the text says why not.
        DBAPIError, psycopg.Error: the database can't be used.
    """
    key = _key(data, environ)
    with (
        _source(file) as source,
        restoring.open_verified(find_postgres_tools(bin_folder(environ), ""), source, key) as (backup, notes),
        _database(data, environ) as settings,
    ):
        for note in notes:
            say(note)

        def finish() -> list[str]:
            upgrade(_owner(settings), settings.database_url)
            _renew(settings)
            return _differences(settings)

        try:
            return restoring.restore(find_postgres_tools(bin_folder(environ), _owner(settings)), backup, key, finish)
        except (SchemaError, RoleError) as error:
            unready = str(error)
    # Raised after the block, whose clean-up would remove the restored data.
    raise BackupError(f"The backup is back, but not ready to be used: {unready} Then: novaluna migrate")


@contextmanager
def _source(file: str) -> Iterator[Path | IO[bytes]]:
    """Yield the file to restore: its path, or a stream if it can be read only once, as a named pipe or a device."""
    if file == "-":
        yield sys.stdin.buffer
        return
    path = Path(file).absolute()
    if path.is_file():
        yield path
        return
    if path.is_dir():
        raise FileError(f"{path} is a folder, and no backup.")
    try:
        stream = path.open("rb")
    except FileNotFoundError:
        raise FileError(f"There is no file {path}.") from None
    except OSError as error:
        raise FileError(f"{path} can't be read: {error.strerror}.") from None
    with stream:
        yield stream


def _key(data: str | None, environ: Mapping[str, str]) -> str | None:
    """Return the key to decrypt a backup with, which is needed before there is a database."""
    return database_settings(data, {"DATABASE_URL": "postgresql://nobody@localhost/none", **_given(environ)}).backup_key


def _given(environ: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environ.items() if value}


def renew_epoch(data: str | None, environ: Mapping[str, str]) -> str:
    """Begin a new epoch in the database of DATABASE_URL, or else of the running `novaluna up`; return the epoch's name.

    It is for operators who restored the database by other means, or failed over to a server that may lack the last
    entries.
    """
    return _renew(database_settings(data, environ))


def _renew(settings: Settings) -> str:
    engine = create_engine(engine_url(_owner(settings)))
    try:
        with engine.begin() as connection:
            return epoch.renew(connection)
    finally:
        engine.dispose()


def _owner(settings: Settings) -> str:
    return settings.owner_url or settings.database_url


@contextmanager
def _database(data: str | None, environ: Mapping[str, str]) -> Iterator[Settings]:
    """Yield the settings of the database to restore into; run the data folder's own Postgres meanwhile if needed."""
    if environ.get("DATABASE_URL"):
        yield database_settings(data, environ)
        return
    folder, note = data_folder(data, environ)
    if note:
        say(note)
    with _cleaned_up_on_failure(folder), Postgres(folder, bin_folder=bin_folder(environ)):
        yield database_settings(data, environ)


@contextmanager
def _cleaned_up_on_failure(folder: Path) -> Iterator[None]:
    """Remove what was created in a folder that did not exist before, or was empty, if the block fails."""
    was_there = folder.exists()
    was_empty = was_there and not any(folder.iterdir())
    try:
        yield
    except BaseException:
        if not was_there:
            shutil.rmtree(folder, ignore_errors=True)
        elif was_empty:
            for made in folder.iterdir():
                shutil.rmtree(made, ignore_errors=True) if made.is_dir() else made.unlink(missing_ok=True)
        raise


def _differences(settings: Settings) -> list[str]:
    """Return a sentence for each difference between the logs and their projections."""
    engine = create_engine(engine_url(settings.database_url))
    with Session(engine) as session:
        differences: list[str] = list(rebuild(session, write=False))
    engine.dispose()
    return differences
