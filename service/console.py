"""What the commands say to people, and to the programs that read their output."""

import os
import sys

from service.language.safe import printable


def say(text: str) -> None:
    """A line on standard error. What it quotes can't command the terminal, nor make a line of its own."""
    sys.stderr.write(f"novaluna: {printable(text)}\n")
    sys.stderr.flush()


def open_streams() -> None:
    """Gives a process that was started without standard input or output (``<&-``) empty ones, as everything uses them."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def let_go_of_output() -> None:
    """The reader went away and wants no more; without this the interpreter would say when it closes its output."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
