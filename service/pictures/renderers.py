"""Render PNG in separate processes, so that a request for a picture does not delay other requests.

A picture holds the interpreter's lock for some hundred milliseconds; in a web process, all other requests would wait.
Each process has renderers of its own: nothing is shared between web processes, and a fork starts without any. They are
started when first needed, run at the lowest priority, are killed when they take too long, and end with their parent,
because their input does.
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
"""The complete environment of a renderer, which needs no secrets."""


class Busy(Exception):
    """No renderer is free, and the queue for one is full."""


class RenderingFailed(Exception):
    """There is no picture: the renderer died, took too long, or could not read the drawing."""


class BadDrawing(RenderingFailed):
    """The drawing is not readable by any renderer; other drawings may be."""


class Renderer:
    """A renderer process, for one caller at a time."""

    def __init__(self, niceness: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "service.pictures.render", str(niceness)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=_ENVIRONMENT,
            start_new_session=True,  # Ctrl-C is handled by its parent
        )

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def png(self, drawing: str, width: int, seconds: float) -> bytes:
        """Render a drawing.

        Raises:
            BadDrawing: the drawing could not be read; the process is still usable.
            RenderingFailed: the process died or took too long; it has ended.
        """
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
        """Return whether the process can take another drawing."""
        return self._process.poll() is None

    def close(self) -> None:
        """Kill the process, whatever it is doing."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        self._process.wait()


class Renderers:
    """A pool of renderer processes.

    Args:
        processes: how many render at once.
        waiting: how many more callers may wait for one of them; any further one is refused at once.
        seconds: how long a caller waits in total, for its turn and for its picture. This is long, since at this
            `niceness` only spare processor time is used. Callers of a lower rank get their turn before others.
        niceness: the niceness of the processes.
        hurry: seconds after which a picture that is not finished, or whose renderer died, is rendered again by a
            process of normal priority; None: never.
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
        self._free: list[Renderer | None] = [None] * processes  # running ones are last, and taken first
        self._waiting: list[tuple[int, int]] = []
        self._numbers = count()

    def png(self, draw: Callable[[], str], width: int, rank: int = 0, within: float | None = None) -> bytes:
        """Call `draw` when it is this caller's turn, and render its drawing; a caller who is refused costs no drawing.

        Raises:
            Busy: the queue is full, or the turn did not come in time.
            RenderingFailed: the picture could not be rendered, or took longer than `within` seconds.
        """
        if self._pid != os.getpid():  # after a fork: the renderers belong to the parent process
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
        """End the renderers that are idle."""
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
        """Wait for this caller's turn, and take and return a free renderer; None if it is still to be started."""
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
