"""Have lists of tables examine few tables at a time, so that a test needs few to see the next window."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from service.queries import table_ranges, tables


@contextmanager
def windows_of(number: int) -> Iterator[None]:
    """Have lists examine a number of tables at a time during the block."""
    with patch.object(table_ranges, "_LOOKED_AT", number):
        _forget()
        yield
    _forget()


def _forget() -> None:
    """Forget the statements that were written for other windows."""
    for statements in (tables._page, tables._ends):
        statements.cache_clear()
