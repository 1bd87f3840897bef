"""Output of the commands, for people and for the programs that read it."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from service.language.sanitize import printable

_PROGRESS_SECONDS = 0.2


class OutputLost(Exception):
    """Standard output can't take what is written to it, for instance because the disk is full; the text says why."""


def say(text: str) -> None:
    """Write a line to standard error, with control characters and line feeds in the text replaced."""
    sys.stderr.write(f"novaluna: {printable(text)}\n")
    sys.stderr.flush()


def write(text: str) -> None:
    """Write a text to standard output as it is.

    Raises:
        OutputLost: it can't be written.
        BrokenPipeError: nobody reads it any more.
    """
    with _output():
        sys.stdout.write(text)


def print_line(text: str) -> None:
    """Write a line to standard output, with control characters, line feeds and what it can't encode replaced.

    It raises what `write` does.
    """
    encoding = sys.stdout.encoding or "utf-8"
    write(f"{printable(text)}\n".encode(encoding, "backslashreplace").decode(encoding))


def flush() -> None:
    """Hand over what was written to standard output; raise what `write` does."""
    with _output():
        sys.stdout.flush()


@contextmanager
def _output() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputLost(error.strerror) from None


def open_streams() -> None:
    """Open /dev/null for each standard stream that is closed (``<&-``), as all code expects them to be open."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def discard_output() -> None:
    """Redirect standard output to /dev/null after its reader has closed it, so that the interpreter ends quietly."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class RunningCount:
    """A running count of records on a terminal; elsewhere it writes nothing."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream if stream is not None and stream.isatty() else None
        self._count = 0
        self._next = time.monotonic() + _PROGRESS_SECONDS

    def one_more(self) -> None:
        """Count one more record."""
        self._count += 1
        if self._stream is not None and (now := time.monotonic()) >= self._next:
            self._next = now + _PROGRESS_SECONDS
            self._stream.write(f"\r{self._count} records")
            self._stream.flush()

    def end(self, text: str) -> None:
        """Leave the final count on the terminal, followed by a text."""
        if self._stream is not None:
            self._stream.write(f"\r{self._count} records{text}\n")

    def clear(self) -> None:
        """Remove the count from the terminal, to write something else."""
        if self._stream is not None:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
