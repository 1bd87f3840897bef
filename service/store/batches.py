"""Work on many rows, of which a bad one stops no other.

Each row is worked on in a savepoint of its own. One that fails is set aside for the rest of the run: its work is undone,
it is logged by its key and counted, and the others go on. Only what ends the whole run, a database that is gone, is let
out.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

import structlog
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from service import metrics

_log = structlog.get_logger(__name__)

Row = TypeVar("Row")
Made = TypeVar("Made")


class Batch:
    """One run over rows of one kind, in as many transactions as it takes. `aside` are the keys of those that failed."""

    def __init__(self, task: str) -> None:
        self._task = task
        self.aside: set[Hashable] = set()

    def each(
        self, session: Session, rows: Iterable[Row], key: Callable[[Row], Hashable], do: Callable[[Row], object]
    ) -> None:
        """Do something for each row; `key` gives the id by which a failed one is set aside."""
        for row in rows:
            with_id = key(row)
            try:
                with session.begin_nested():
                    do(row)
                    session.flush()
            except Exception as error:
                if isinstance(error, DBAPIError) and error.connection_invalidated:
                    raise
                self.set_aside(with_id, error)

    def attempt(self, key: Hashable, make: Callable[[], Made]) -> Made | None:
        """Return what `make` gives; None, and this key is set aside, if it fails. For what only reads."""
        try:
            return make()
        except Exception as error:
            if isinstance(error, DBAPIError) and error.connection_invalidated:
                raise
            self.set_aside(key, error)
            return None

    def set_aside(self, key: Hashable, error: Exception) -> None:
        """Log and count a row that could not be worked on; its error's text may hold a name or an address."""
        self.aside.add(key)
        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{frame.filename}:{frame.lineno} in {frame.name}"
        _log.error("set aside", task=self._task, row=key, why=f"{type(error).__name__} at {where}")
        metrics.set_aside(self._task)
