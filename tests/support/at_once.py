"""Calls that are let go together."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

Answer = TypeVar("Answer")


def at_once(*calls: Callable[[], Answer]) -> list[Answer]:
    """What the calls give, in their order; each is made by a thread of its own, once all threads stand ready."""
    gate = Barrier(len(calls))

    def make(call: Callable[[], Answer]) -> Answer:
        gate.wait()
        return call()

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(make, calls))
