"""Process many rows so that a bad one does not stop the others.

Each row is processed in a savepoint of its own. One that fails is set aside for the rest of the run: its changes are
undone, it is logged by its key and counted, and the others continue. Only an error that ends the whole run, such as a
lost database, is raised.
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
    """One run over rows of one kind, in as many transactions as needed. `aside` holds the keys of rows that failed."""

    def __init__(self, task: str) -> None:
        self._task = task
        self.aside: set[Hashable] = set()

    def each(
        self, session: Session, rows: Iterable[Row], key: Callable[[Row], Hashable], do: Callable[[Row], object]
    ) -> None:
        """Call `do` for each row; `key` returns the id by which a failed row is set aside."""
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
        """Return the result of `make`, or None if it fails, and set `key` aside then. Only for code that just reads."""
        try:
            return make()
        except Exception as error:
            if isinstance(error, DBAPIError) and error.connection_invalidated:
                raise
            self.set_aside(key, error)
            return None

    def set_aside(self, key: Hashable, error: Exception) -> None:
        """Log and count a row that failed. The text of its error may hold a name or an address, and is left out."""
        self.aside.add(key)
        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{frame.filename}:{frame.lineno} in {frame.name}"
        _log.error("set aside", task=self._task, row=key, why=f"{type(error).__name__} at {where}")
        metrics.set_aside(self._task)
