"""Read the lines of files, and report output that is lost, for the commands about records."""

import json
import sys
from collections.abc import Iterator
from typing import BinaryIO

from service.console import discard_output, say
from service.exit_codes import FAILED

BROKEN = FAILED
"""The exit code if something that was checked is wrong; `BAD_USAGE`: nothing could be checked."""

_DOWNLOAD = "nova-luna-export/1"

#: Longer than any game's record. A longer line is broken, and need not be held in memory to know that.
_LONGEST = 1 << 24


class UnreadableFile(Exception):
    """A file cannot be opened, or not be read to its end; the text says why."""


def lines(name: str) -> Iterator[bytes]:
    """Yield the lines of a file with their line feeds; ``-`` is standard input.

    One that is too long is cut, and so lacks its line feed.

    Raises:
        UnreadableFile: the file cannot be read.
    """
    try:
        with open(sys.stdin.fileno() if name == "-" else name, "rb", closefd=name != "-") as file:
            yield from _cut(file)
    except OSError as error:
        raise UnreadableFile(error.strerror) from None


def end_of_download(line: bytes) -> tuple[int, int] | None:
    """Return the numbers of records and of unreadable games in the last line of a download; None for another line."""
    if len(line) > 1000 or not line.endswith(b"\n"):
        return None
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(told, dict) or told.get("format") != _DOWNLOAD or told.get("complete") is not True:
        return None
    records, unreadable = told.get("records"), told.get("unreadable")
    if type(records) is not int or type(unreadable) is not int or unreadable < 0:
        return None
    return records, unreadable


def report_lost(error: OSError) -> int:
    """Report that the output cannot be written, for instance because the disk is full, and return the exit code."""
    say(f"the output can't be written: {error.strerror}")
    discard_output()
    return BROKEN


def _cut(file: BinaryIO) -> Iterator[bytes]:
    while line := file.readline(_LONGEST):
        yield line
        while len(line) == _LONGEST and not line.endswith(b"\n"):
            line = file.readline(_LONGEST)
