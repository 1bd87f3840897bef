"""A process that only renders drawings as PNG: ``python -m service.pictures.render NICENESS``.

It reads drawings from standard input and writes pictures to standard output (`read_frame`, `write_frame`), one after
the other, with the given niceness. It ends when its input does, and so with its parent.
"""

from __future__ import annotations

import struct
import sys
from typing import IO

from service.pictures import priority, raster

_HEAD = struct.Struct(">II")
"""The header of a frame: a number (a width; 1 for a picture, 0 for a failure), and how many bytes follow."""


def write_frame(pipe: IO[bytes], number: int, content: bytes) -> None:
    """Write a complete frame."""
    pipe.write(_HEAD.pack(number, len(content)) + content)
    pipe.flush()


def read_frame(pipe: IO[bytes]) -> tuple[int, bytes] | None:
    """Read the next frame; return its number and content, or None if the pipe ends before it is complete."""
    head = pipe.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    number, length = _HEAD.unpack(head)
    content = pipe.read(length)
    return (number, content) if len(content) == length else None


def main() -> None:
    """Render every drawing from standard input."""
    priority.be_nice(int(sys.argv[1]))
    while (frame := read_frame(sys.stdin.buffer)) is not None:
        width, drawing = frame
        try:
            with priority.yielding_processor():
                answer = 1, raster.png(drawing.decode(), width)
        except ValueError as error:
            answer = 0, str(error).encode()
        try:
            write_frame(sys.stdout.buffer, *answer)
        except BrokenPipeError:
            break


if __name__ == "__main__":
    main()
