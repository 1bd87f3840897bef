"""Hold many streams of events open from a process of its own: `python -m bench.streams`, a plan on stdin.

It prints a line once all streams have begun. When its stdin is closed, it prints the result as JSON.
"""

import json
import re
import selectors
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field

_PATIENCE = 120.0
_AT_ONCE = 64
"""The streams that are being opened at a time."""

_EVENT = re.compile(rb'"kind":"move"[^}]*?"game":"(\w+)"[^}]*?"number":(\d+)')


@dataclass(frozen=True)
class Plan:
    """The requests for streams to send to a port of this machine."""

    port: int
    requests: Sequence[str]


@dataclass
class Result:
    """The moves that the streams have reported.

    Attributes:
        arrived: for each game and version, such as `3kTmWq8ZbNpR 31`, when each stream was told, by the clock that all
            processes of this machine have in common.
        lost: the number of streams that ended.
    """

    arrived: dict[str, list[float]] = field(default_factory=dict)
    lost: int = 0


@contextmanager
def held(plan: Plan) -> Iterator[Result]:
    """Hold the streams open during the block; after it, the result is complete."""
    result = Result()
    argv = [sys.executable, "-m", "bench.streams"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(asdict(plan)) + "\n")
        process.stdin.flush()
        if process.stdout.readline() != "ready\n":
            raise RuntimeError("the streams could not be opened")
        yield result
        process.stdin.close()
        told = json.loads(process.stdout.read())
        result.arrived, result.lost = told["arrived"], told["lost"]


def run(plan: Plan) -> Result:
    """Hold the streams open in this process until stdin is closed."""
    result = Result()
    selector = selectors.DefaultSelector()
    waiting = iter(plan.requests)
    begun = opening = 0

    def open_more() -> None:
        nonlocal opening
        while opening < _AT_ONCE and (request := next(waiting, None)) is not None:
            stream = socket.create_connection(("127.0.0.1", plan.port), _PATIENCE)
            stream.sendall(request.encode("latin-1"))
            selector.register(stream, selectors.EVENT_READ, [b""])
            opening += 1

    open_more()
    while begun < len(plan.requests):
        ready = selector.select(_PATIENCE)
        if not ready:
            raise TimeoutError("the server does not answer")
        for key, _ in ready:
            received = key.fileobj.recv(1 << 16)  # type: ignore[union-attr]
            if not received:
                raise ConnectionError("the server has refused a stream")
            if key.data[0] == b"":
                if not received.startswith(b"HTTP/1.1 200"):
                    raise ConnectionError(received[:200].decode("latin-1"))
                key.data[0] = b" "
                begun, opening = begun + 1, opening - 1
        open_more()
    print("ready", flush=True)
    selector.register(sys.stdin, selectors.EVENT_READ)
    while True:
        for key, _ in selector.select():
            if key.fileobj is sys.stdin:
                return result
            received = key.fileobj.recv(1 << 16)  # type: ignore[union-attr]
            now = time.monotonic()
            if not received:
                result.lost += 1
                selector.unregister(key.fileobj)
                continue
            *whole, key.data[0] = (key.data[0] + received).split(b"\n\n")
            for message in whole:
                if found := _EVENT.search(message):
                    result.arrived.setdefault(f"{found[1].decode()} {found[2].decode()}", []).append(now)


if __name__ == "__main__":
    json.dump(asdict(run(Plan(**json.loads(sys.stdin.readline())))), sys.stdout)
