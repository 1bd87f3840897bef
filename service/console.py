"""Output of the commands, for people and for the programs that read it."""

import os
import sys

from service.language.sanitize import printable


def say(text: str) -> None:
    """Write a line to standard error, with control characters and line feeds in the text replaced."""
    sys.stderr.write(f"novaluna: {printable(text)}\n")
    sys.stderr.flush()


def print_line(text: str) -> None:
    """Write a line to standard output, with control characters, line feeds and what it can't encode replaced."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(f"{printable(text)}\n".encode(encoding, "backslashreplace").decode(encoding))


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
