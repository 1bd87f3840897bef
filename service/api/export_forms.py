"""The forms of an export: the records of many games as lines of JSON, or their moves as CSV."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from engine.record import canonical
from service.queries import moves_csv

NDJSON = "application/x-ndjson"

FORMAT = "nova-luna-export/1"
"""The `format` of the last line of an export of records."""


class ExportForm(NamedTuple):
    """The way in which an export is written.

    Attributes:
        media_type: its media type.
        content_type: the same with its parameters.
        head: what it begins with.
        page: the number of records that are read at a time; other requests wait while these are written.
        write: returns what is written for a record, given by its line.
        end: returns the end of a complete export, from the numbers of its games and of those that are left out.
    """

    media_type: str
    content_type: str
    head: bytes
    page: int
    write: Callable[[bytes], bytes]
    end: Callable[[int, int], bytes]


def _end_of_records(records: int, unreadable: int) -> bytes:
    return canonical({"format": FORMAT, "complete": True, "records": records, "unreadable": unreadable}) + b"\n"


RECORDS = ExportForm(NDJSON, NDJSON, b"", 24, bytes, _end_of_records)
"""Lines of JSON, each of them a record, and one that says that they are complete."""

MOVES = ExportForm(moves_csv.MEDIA_TYPE, moves_csv.CONTENT_TYPE, moves_csv.HEAD, 6, moves_csv.of_line, moves_csv.end)
"""The moves as CSV, and a line that says that they are complete."""
