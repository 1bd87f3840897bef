"""Audit ranges of games in several processes, and return what they find in the order of the ranges.

Each process has a connection of its own to the database, and gets one range after the other through a pipe. When the
process that started them ends, in whatever way, the pipe is closed, and they end too.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import NamedTuple

from sqlalchemy.exc import DBAPIError

from service.auditing.differences import AuditDifference
from service.auditing.ranges import audit_range, connected
from service.config import Settings

GAMES = 100
"""The number of keys in a range. A snapshot lasts as long as these take, which is well below a second."""

AHEAD = 8
"""The number of ranges for each process that may be finished before an earlier one is; so memory is bounded."""


class Audited(NamedTuple):
    """A range that was audited: its last key, how many tables it has, and the differences there."""

    upto: int
    games: int
    differences: list[AuditDifference]


class Failed(Exception):
    """A range cannot be audited: the database is away, or a process was killed; the text says which."""


def audited(settings: Settings, after: int, upto: int, processes: int, games: int = GAMES) -> Iterator[Audited]:
    """Audit the tables with a key after `after` and up to `upto`; yield the ranges in the order of their keys.

    Raises:
        Failed: a range cannot be audited; those that were yielded are done.
    """
    context = get_context("spawn")
    pipes: list[Connection] = []
    workers = []
    try:
        for _ in range(processes):
            ours, theirs = context.Pipe()
            worker = context.Process(target=_serve, args=(theirs, settings), daemon=True)
            worker.start()
            theirs.close()
            pipes.append(ours)
            workers.append(worker)
        yield from _in_order(pipes, after, upto, games)
    finally:
        for pipe in pipes:
            pipe.close()
        for worker in workers:
            worker.terminate()
            worker.join()


def _in_order(pipes: list[Connection], after: int, upto: int, games: int) -> Iterator[Audited]:
    begins, done = after, dict[int, Audited]()
    following = after
    idle = list(pipes)
    while following < upto:
        while idle and begins < upto and begins - following < AHEAD * games * len(pipes):
            ends = min(begins + games, upto)
            _send(idle.pop(), (begins, ends))
            begins = ends
        for pipe in wait([pipe for pipe in pipes if pipe not in idle]):
            assert isinstance(pipe, Connection)
            first, audited = _received(pipe)
            done[first] = audited
            idle.append(pipe)
        while following in done:
            audited = done.pop(following)
            yield audited
            following = audited.upto


def _send(pipe: Connection, keys: tuple[int, int]) -> None:
    try:
        pipe.send(keys)
    except OSError:
        raise Failed("a process of the audit has ended before its time") from None


def _received(pipe: Connection) -> tuple[int, Audited]:
    try:
        first, audited = pipe.recv()
    except (EOFError, OSError):
        raise Failed("a process of the audit has ended before its time") from None
    if isinstance(audited, str):
        raise Failed(audited)
    return first, audited


def _serve(pipe: Connection, settings: Settings) -> None:
    """Audit the ranges that come through the pipe until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the process that started this one
    engine = connected(settings)
    while True:
        try:
            after, upto = pipe.recv()
        except EOFError:
            return
        try:
            answer: Audited | str = Audited(upto, *audit_range(engine, after, upto))
        except DBAPIError as error:
            answer = f"the database can't be read: {type(error.orig).__name__}"
        try:
            pipe.send((after, answer))
        except OSError:
            return
