"""Cursors: the places in the order of events that readers go on from."""

from __future__ import annotations

import re
from typing import NamedTuple

PATTERN = "[0-9a-f]{8}-[0-9]{1,18}"
"""The pattern of a cursor; clients are told nothing of it."""

_CURSOR = re.compile(rf"({PATTERN[:11]})-([0-9]{{1,18}})")


class Positions(NamedTuple):
    """The positions that events have: in this epoch, up to `last`, and none up to `deleted` any more."""

    epoch: str
    last: int
    deleted: int

    def after(self, cursor: Cursor) -> int | None:
        """Return the position that a cursor stands for; None if not all events after it can be given.

        So it is if they were deleted, or if the cursor is of a history that a restored backup has undone.
        """
        is_known = cursor.epoch == self.epoch and self.deleted <= cursor.position <= self.last
        return cursor.position if is_known else None


class Cursor(NamedTuple):
    """A place in the order of events: after the event with this position in this epoch (`service.store.epoch`)."""

    epoch: str
    position: int

    def __str__(self) -> str:
        return f"{self.epoch}-{self.position}"


def parse(text: str) -> Cursor | None:
    """Return the cursor with this text, or None if it is no cursor."""
    found = _CURSOR.fullmatch(text)
    return Cursor(found[1], int(found[2])) if found else None
