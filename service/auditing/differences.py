"""Define what an audit of a database finds: a stored value that is not what it must be."""

from __future__ import annotations

from typing import NamedTuple


class AuditDifference(NamedTuple):
    """A stored value that is not what it must be.

    Attributes:
        game: the id of the table; None if it is about no single one.
        entry: the first bad entry of its log, 0 for the header; None if it is in no entry.
        code: that of a record's fault (docs/FORMATS.md), or one of `CODES`.
        why: what is stored, and what must be.
        column: the column of the projection, if it is one.
    """

    game: str | None
    entry: int | None
    code: str
    why: str
    column: str | None = None

    def __str__(self) -> str:
        entry = "" if self.entry is None else f"entry {self.entry}: "
        game = "" if self.game is None else f"game {self.game}: "
        return f"{game}{entry}{self.code}: {self.why}"


MISSING, TABLE, SEATS, PROJECTION, STATUS, COUNTER, UNREADABLE, IMPORT, EXPLORATION = CODES = (
    "missing",
    "table",
    "seats",
    "projection",
    "status",
    "counter",
    "unreadable",
    "import",
    "exploration",
)
"""The codes of differences that a record cannot have (docs/OPERATING.md, "Auditing the database").

What does not agree with a checkpoint has the codes of `service.queries.checkpoint_audit`.
"""
