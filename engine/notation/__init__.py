"""Read and print games in the text notation, `nova-luna-text/1` (docs/NOTATION.md).

    game = read(data)               the game that a text describes; a Refusal names the line and a code
    for first, data in split(lines) the text of each game in a file
    game = from_record(record)      the game of a record
    text(game)                      its canonical text
    line(entry)                     the line of one entry
    record_line(game)               its record, if the text is complete

A text is read in five phases. The first takes it apart line by line (`source`, with `entry_lines`, `places` and
`tags`), the second settles how the game begins (`setup`), the third plays it (`replay`), and `checks` has the last two:
the times, and the game as a whole.
"""

from __future__ import annotations

from engine.notation.errors import Refusal
from engine.notation.from_record import from_record
from engine.notation.many import split
from engine.notation.model import Entry, NotatedGame, Variation
from engine.notation.printer import line, text
from engine.notation.reader import read
from engine.notation.setup import FORMAT
from engine.notation.to_record import record_line

MEDIA_TYPE = "text/vnd.nova-luna"
"""The media type of a text, which is always UTF-8."""

__all__ = [
    "FORMAT",
    "MEDIA_TYPE",
    "Entry",
    "NotatedGame",
    "Refusal",
    "Variation",
    "from_record",
    "line",
    "read",
    "record_line",
    "split",
    "text",
]
