"""`novaluna backup`, `novaluna restore` and `novaluna new-epoch`: which database, which file, which key."""

import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import psycopg
from sqlalchemy import create_engine
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from service.backup import dump
from service.backup import restore as restoring
from service.backup.errors import KeepingError
from service.backup.postgres_tools import programs
from service.commands.rebuild import rebuild
from service.config import Settings
from service.console import say
from service.local.postgres import Postgres
from service.queries.database_state import told
from service.store import epoch
from service.store.base import engine_url
from service.store.migrate import SchemaError, upgrade
from service.store.rights import RoleError
from service.up import bin_folder, data_folder, database_settings


def backup(file: str, data: str | None, environ: Mapping[str, str]) -> None:
    """Backs up the database of DATABASE_URL, else that of the running `novaluna up`.

    Args:
        file: where to; - is standard output.
        data: the data folder, None: see `service.up.data_folder`.

    Raises:
        ConfigError, KeepingError, LocalError: the text says why not.
    """
    settings = database_settings(data, environ)
    target = sys.stdout.buffer if file == "-" else Path(file).absolute()
    if file == "-" and sys.stdout.isatty():
        raise KeepingError("A backup is no text for a terminal. Name a file, or lead standard output to a program.")
    with _reachable():
        dump.backup(programs(bin_folder(environ), _owner(settings)), target, settings.backup_key)
    if settings.backup_key is None:
        say("the backup is not encrypted: it holds addresses, and the seeds of games that run. See NOVALUNA_BACKUP_KEY")


def restore(file: str, data: str | None, environ: Mapping[str, str]) -> list[str]:
    """Puts a backup into the database of DATABASE_URL, else into a data folder, on which `novaluna up` isn't running.

    Args:
        file: where from; - is standard input.
        data: as for `backup`. A Postgres is made in it if there is none.

    Returns:
        A sentence for each thing that is amiss in what was put back.

    Raises:
        ConfigError, KeepingError, LocalError: the text says why not.
    """
    source: Path | BinaryIO = sys.stdin.buffer if file == "-" else Path(file).absolute()
    if isinstance(source, Path) and not source.is_file():
        raise KeepingError(f"There is no file {source}.")
    key = _key(data, environ)
    with (
        restoring.verified(programs(bin_folder(environ), ""), source, key) as (backup, notes),
        _database(data, environ) as settings,
        _reachable(),
    ):
        for note in notes:
            say(note)

        def finish() -> list[str]:
            upgrade(_owner(settings), settings.database_url)
            _renew(settings)
            return _differences(settings)

        try:
            return restoring.restore(programs(bin_folder(environ), _owner(settings)), backup, key, finish)
        except (SchemaError, RoleError) as error:
            unready = str(error)
    # Said behind the block, since what was put back stays.
    raise KeepingError(f"The backup is back, but not ready to be used: {unready} Then: novaluna migrate")


def _key(data: str | None, environ: Mapping[str, str]) -> str | None:
    """The key to open a backup with, which is asked for before there is any database."""
    return database_settings(data, {"DATABASE_URL": "postgresql://nobody@localhost/none", **_given(environ)}).backup_key


def _given(environ: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environ.items() if value}


def renew_epoch(data: str | None, environ: Mapping[str, str]) -> str:
    """Begin a new epoch in the database of DATABASE_URL, else in that of the running `novaluna up`; return its name.

    For who restored by other means, or had another server take over that may not have got all.
    """
    with _reachable():
        return _renew(database_settings(data, environ))


def _renew(settings: Settings) -> str:
    engine = create_engine(engine_url(_owner(settings)))
    try:
        with engine.begin() as connection:
            return epoch.renew(connection)
    except OperationalError as error:
        raise KeepingError(f"The database can't be used: {told(error)}") from None
    finally:
        engine.dispose()


def _owner(settings: Settings) -> str:
    return settings.owner_url or settings.database_url


@contextmanager
def _database(data: str | None, environ: Mapping[str, str]) -> Iterator[Settings]:
    """The settings of the database to put it into; a folder's is started for as long as it takes."""
    if environ.get("DATABASE_URL"):
        yield database_settings(data, environ)
        return
    folder, note = data_folder(data, environ)
    if note:
        say(note)
    with _left_as_it_was(folder), Postgres(folder, bin_folder=bin_folder(environ)):
        yield database_settings(data, environ)


@contextmanager
def _left_as_it_was(folder: Path) -> Iterator[None]:
    """Where it fails, remove what was made in a folder that was not there before, or empty."""
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


@contextmanager
def _reachable() -> Iterator[None]:
    try:
        yield
    except psycopg.OperationalError as error:
        raise KeepingError(f"The database can't be used: {told(error)}") from None


def _differences(settings: Settings) -> list[str]:
    """What in logs and projections doesn't hold."""
    engine = create_engine(engine_url(settings.database_url))
    with Session(engine) as session:
        differences = rebuild(session, write=False)
    engine.dispose()
    return differences
