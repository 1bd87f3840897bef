"""Note in a file how far an audit of a database has come, to go on from there after an interruption."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

FORMAT = "nova-luna-audit/1"


class BadPosition(Exception):
    """The file is none that an audit has written, or of another database, or can't be written; the text says which."""


@dataclass
class Position:
    """A note of how far an audit has come.

    Attributes:
        epoch: the epoch of the database (`service.store.epoch`).
        after: the key of the last table of which all was printed.
        games: how many tables were audited.
        broken: how many of them differ.
    """

    epoch: str
    after: int = 0
    games: int = 0
    broken: int = 0


def load(file: Path, epoch: str) -> Position:
    """Return the position in a file, or the beginning if there is no such file.

    Raises:
        BadPosition: it is no file of this format, or of another database.
        OSError: it cannot be read.
    """
    try:
        stored = json.loads(file.read_bytes())
    except FileNotFoundError:
        return Position(epoch)
    except ValueError:
        raise BadPosition("it is no file of an audit") from None
    try:
        given = dict(stored)
        is_ours = given.pop("format", None) == FORMAT
        position = Position(**given)
    except (TypeError, ValueError):
        is_ours = False
    if not is_ours or [type(value) for value in asdict(position).values()] != [str, int, int, int]:
        raise BadPosition("it is no file of an audit")
    if position.epoch != epoch:
        raise BadPosition("it is of another database, or of one that was restored since; delete it to begin anew")
    return position


def save(file: Path, position: Position) -> None:
    """Write a position, so that the file is never half written.

    Raises:
        BadPosition: it cannot be written.
    """
    written = _written(file)
    with _writing():
        with written.open("w", encoding="utf-8") as stream:
            json.dump({"format": FORMAT, **asdict(position)}, stream)
            stream.flush()
            os.fsync(stream.fileno())
        written.replace(file)


def check_writable(file: Path) -> None:
    """Raise BadPosition if a position can't be written to a file, before hours are spent on an audit."""
    with _writing():
        _written(file).touch()
        _written(file).unlink()


def _written(file: Path) -> Path:
    return file.with_name(f"{file.name}.new")


@contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise BadPosition(f"it can't be written: {error.strerror}") from None
