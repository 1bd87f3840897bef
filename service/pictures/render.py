"""A process that makes PNG of drawings and does nothing else: ``python -m service.pictures.render NICENESS``.

It reads drawings from its standard input and writes pictures to its standard output (`read_frame`, `write_frame`), one
after the other, with the niceness that it is told, and ends when the input does: with whoever started it.
"""

from __future__ import annotations

import struct
import sys
from typing import IO

from service.pictures import priority, raster

_HEAD = struct.Struct(">II")
"""A number that goes with a frame (a width; 1 for a picture, 0 for a failure), and how many bytes follow."""


def write_frame(pipe: IO[bytes], number: int, content: bytes) -> None:
    """Write a frame, all of it."""
    pipe.write(_HEAD.pack(number, len(content)) + content)
    pipe.flush()


def read_frame(pipe: IO[bytes]) -> tuple[int, bytes] | None:
    """The next frame's number and content; None when the pipe ends before there is a whole one."""
    head = pipe.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    number, length = _HEAD.unpack(head)
    content = pipe.read(length)
    return (number, content) if len(content) == length else None


def main() -> None:
    """Answer every drawing with its picture."""
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
