"""Take a file of many games apart: each begins with its Format tag."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from engine.notation.source import MOST_BYTES

_FORMAT = re.compile(rb"[ \t]*\[[ \t]*format[ \t\"]", re.IGNORECASE)
_RESULT = re.compile(rb"[ \t]*[*=]")


def split(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield the text of each game with the number of its first line.

    A game that is too large is cut where that is certain, so that reading it refuses it.

    Args:
        lines: the lines of a file with their line feeds.
    """
    parts: list[bytes] = []
    first, size, ended = 1, 0, False
    for number, line in enumerate(lines, 1):
        if ended and _FORMAT.match(line):
            yield first, b"".join(parts)
            parts, first, size, ended = [], number, 0, False
        ended = ended or _RESULT.match(line) is not None
        if size <= MOST_BYTES:
            parts.append(line[: MOST_BYTES + 1])
            size += len(parts[-1])
    if parts:
        yield first, b"".join(parts)
