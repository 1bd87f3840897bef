"""Renders PNG in processes of their own, so that whoever waits for one holds up nobody else.

A picture takes some hundred milliseconds during which the interpreter's lock is held: in a web process that would be
paid by all its other requests. Each process that renders has renderers of its own: nothing is shared between web
processes, so nothing has to be agreed on, and a fork finds none. They are started when first needed, run at the lowest
priority, are killed when they take too long, and end with their parent, since their input does.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from heapq import heapify, heappop, heappush
from itertools import count
from threading import BoundedSemaphore, Condition, Timer

from service.pictures.render import read_frame, write_frame

_ENVIRONMENT = {"PATH": os.defpath, "LANG": "C.UTF-8", "PYTHONUTF8": "1"}
"""All that a renderer is told: it needs no secret."""


class Busy(Exception):
    """There is no renderer free, and enough others wait for one already."""


class RenderingFailed(Exception):
    """There is no picture: the renderer died, took too long, or could not read the drawing."""


class BadDrawing(RenderingFailed):
    """The drawing can't be read, whoever renders it; other drawings can."""


class Renderer:
    """One process that renders, for one caller at a time."""

    def __init__(self, niceness: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "service.pictures.render", str(niceness)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=_ENVIRONMENT,
            start_new_session=True,  # Ctrl-C is its parent's business
        )

    @property
    def pid(self) -> int:
        """The process."""
        return self._process.pid

    def png(self, drawing: str, width: int, seconds: float) -> bytes:
        """The picture. Raises RenderingFailed; if the process is at fault it is dead then."""
        assert self._process.stdin is not None and self._process.stdout is not None
        late = Timer(seconds, self._process.kill)
        late.daemon = True
        late.start()
        try:
            write_frame(self._process.stdin, width, drawing.encode())
            frame = read_frame(self._process.stdout)
        except OSError:
            frame = None
        finally:
            late.cancel()
        if frame is None:
            self.close()
            raise RenderingFailed(f"the renderer ended, or took longer than {seconds:.3g} seconds")
        drawn, content = frame
        if not drawn:
            raise BadDrawing(content.decode())
        return content

    def is_alive(self) -> bool:
        """Whether the process can be given another drawing."""
        return self._process.poll() is None

    def close(self) -> None:
        """End the process, in whatever state it is."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        self._process.wait()


class Renderers:
    """So many renderers, for so many callers at once.

    `processes` render, `waiting` callers more wait for one of them, any further one is refused at once. `seconds` is
    how long a caller waits in all, for its turn, which callers of a lower rank get before others, and its picture:
    long, since at this `niceness` it is made in the time that others leave. Where they leave none, a picture that was
    not made within `hurry` seconds, or whose renderer died, is made anew by a process that has as much right to the
    machine as any; None: never.
    """

    def __init__(
        self, processes: int, waiting: int, seconds: float, niceness: int = 19, hurry: float | None = None
    ) -> None:
        self._size = processes, waiting
        self._seconds = seconds
        self._niceness = niceness
        self._hurry = hurry
        self._begin()

    def _begin(self) -> None:
        processes, waiting = self._size
        self._pid = os.getpid()
        self._places = BoundedSemaphore(processes + waiting)
        self._turns = Condition()
        self._free: list[Renderer | None] = [None] * processes  # the one that is warm is last, and taken first
        self._waiting: list[tuple[int, int]] = []
        self._numbers = count()

    def png(self, draw: Callable[[], str], width: int, rank: int = 0, within: float | None = None) -> bytes:
        """The picture of what is drawn once it is its turn: who is refused has cost nobody a drawing. Raises Busy and
        RenderingFailed, also where it takes longer than the seconds that it is to be made `within`."""
        if self._pid != os.getpid():  # this is a fork, and what there was belongs to another process
            self._begin()
        if not self._places.acquire(blocking=False):
            raise Busy
        seconds = self._seconds if within is None else within
        until = time.monotonic() + seconds
        try:
            with self._one(rank, seconds) as renderer:
                drawing = draw()
                left = _left(until)
                try:
                    return renderer.png(drawing, width, left if self._hurry is None else min(left, self._hurry))
                except BadDrawing:
                    raise
                except RenderingFailed:
                    if self._hurry is None:
                        raise
                    return _hurried(drawing, width, _left(until))
        finally:
            self._places.release()

    def close(self) -> None:
        """End the renderers that nobody uses now."""
        with self._turns:
            for renderer in self._free:
                if renderer is not None:
                    renderer.close()
            self._free = [None] * len(self._free)

    @contextmanager
    def _one(self, rank: int, seconds: float) -> Iterator[Renderer]:
        renderer = self._turn(rank, seconds)
        try:
            if renderer is None or not renderer.is_alive():
                renderer = None
                renderer = Renderer(self._niceness)
            yield renderer
        finally:
            with self._turns:
                self._free.append(renderer if renderer is not None and renderer.is_alive() else None)
                self._turns.notify_all()

    def _turn(self, rank: int, seconds: float) -> Renderer | None:
        """The place of a renderer, once it is this caller's turn."""
        mine = rank, next(self._numbers)
        with self._turns:
            heappush(self._waiting, mine)
            if not self._turns.wait_for(lambda: self._free and self._waiting[0] == mine, seconds):
                self._waiting.remove(mine)
                heapify(self._waiting)
                self._turns.notify_all()
                raise Busy
            heappop(self._waiting)
            self._turns.notify_all()
            return self._free.pop()


def _hurried(drawing: str, width: int, seconds: float) -> bytes:
    renderer = Renderer(0)
    try:
        return renderer.png(drawing, width, seconds)
    finally:
        renderer.close()


def _left(until: float) -> float:
    return max(0.0, until - time.monotonic())
