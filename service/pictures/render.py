"""A process that makes PNG of drawings and does nothing else: ``python -m service.pictures.render NICENESS``.

It reads drawings from its standard input and writes pictures to its standard output (`read_frame`, `write_frame`), one
after the other, with the niceness that it is told, and ends when the input does: with whoever started it.
"""

from __future__ import annotations

import os
import struct
import sys
import time
from pathlib import Path
from typing import IO

from service.pictures import raster

_HEAD = struct.Struct(">II")
"""A number that goes with a frame (a width; 1 for a picture, 0 for a failure), and how many bytes follow."""

_AUTOGROUP = Path("/proc/self/autogroup")
_TRIES, _PAUSE = 10, 0.1


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


def _give_way(niceness: int) -> None:
    """Be so nice to all others. Where Linux shares its processors out by session (sched(7), autogroup), a niceness counts
    within a session only, and this process has one of its own, which has to have it too."""
    os.nice(niceness)
    if os.getsid(0) != os.getpid():
        return
    for _ in range(_TRIES):
        try:
            _AUTOGROUP.write_text(str(niceness))
        except BlockingIOError:  # somebody else's was changed within the last tenth of a second
            time.sleep(_PAUSE)
        except OSError:  # there is no such thing here
            return
        else:
            return


def main() -> None:
    """Answer every drawing with its picture."""
    _give_way(int(sys.argv[1]))
    while (frame := read_frame(sys.stdin.buffer)) is not None:
        width, drawing = frame
        try:
            answer = 1, raster.png(drawing.decode(), width)
        except ValueError as error:
            answer = 0, str(error).encode()
        try:
            write_frame(sys.stdout.buffer, *answer)
        except BrokenPipeError:
            break


if __name__ == "__main__":
    main()
