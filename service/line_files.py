"""Read the lines of files, and report output that is lost, for the commands about records."""

import re
import sys
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from engine.forms import LONGEST
from service.console import discard_output, say
from service.exit_codes import FAILED

BROKEN = FAILED
"""The exit code if something that was checked is wrong; `BAD_USAGE`: nothing could be checked."""

_END_OF_DOWNLOAD = re.compile(
    rb'\{"complete":true,"format":"nova-luna-export/1",'
    rb'"records":(0|[1-9][0-9]{0,14}),"unreadable":(0|[1-9][0-9]{0,14})\}\n'
)


class EndOfDownload(NamedTuple):
    """The last line of a download of games.

    Attributes:
        records: the number of records that it had.
        unreadable: the number of games that the service has left out because their data are damaged.
    """

    records: int
    unreadable: int

    def missing(self, came: int) -> str | None:
        """Return a sentence that says which records are missing from those that came, or None."""
        if came < self.records:
            return f"download: the download had {self.records} records, and {came} came"
        if self.unreadable:
            return f"download: the service has left out {self.unreadable} games, because their data are damaged"
        return None


class UnreadableFile(Exception):
    """A file cannot be opened, or not be read to its end; the text says why."""


def lines(name: str) -> Iterator[bytes]:
    """Yield the lines of a file with their line feeds; ``-`` is standard input.

    One that is too long is broken, and is not held in memory as a whole: it is cut, and so lacks its line feed.

    Raises:
        UnreadableFile: the file cannot be read.
    """
    try:
        with open(sys.stdin.fileno() if name == "-" else name, "rb", closefd=name != "-") as file:
            yield from _cut(file)
    except OSError as error:
        raise UnreadableFile(error.strerror) from None


def end_of_download(line: bytes) -> EndOfDownload | None:
    """Parse the last line of a download of games; None for any other line, or any other spelling of it."""
    found = _END_OF_DOWNLOAD.fullmatch(line)
    return None if found is None else EndOfDownload(int(found[1]), int(found[2]))


def report_lost(error: OSError) -> int:
    """Report that the output cannot be written, for instance because the disk is full, and return the exit code."""
    say(f"the output can't be written: {error.strerror}")
    discard_output()
    return BROKEN


def _cut(file: BinaryIO) -> Iterator[bytes]:
    while line := file.readline(LONGEST):
        yield line
        while len(line) == LONGEST and not line.endswith(b"\n"):
            line = file.readline(LONGEST)
