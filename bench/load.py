"""Put load on a web server from a process of its own: `python -m bench.load`, a plan on stdin, a JSON result.

Each connection sends its next request after the response to the last one. Connections stay open as long as the server
keeps them (a sync worker of gunicorn closes each). It is one thread on bare sockets: client and server share two cores,
so every microsecond of the client would make the server look slower, and all servers more alike.
"""

import json
import selectors
import socket
import subprocess
import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass
from itertools import cycle

_PATIENCE = 60.0


@dataclass(frozen=True)
class Plan:
    """The requests to send to a port of this machine, for each connection, as bytes.

    With `seconds`, the requests of a connection are repeated for that time; without, they are sent once.
    """

    port: int
    connections: list[list[str]]
    seconds: float | None = None


@dataclass(frozen=True)
class Result:
    """The result of a load.

    Attributes:
        statuses: the number of responses by status.
        seconds: from the first request to the last response.
        latencies: for each request, the seconds from sending (and connecting, if needed) to the end of its response.
        cpu: the CPU seconds that the load itself took.
    """

    statuses: dict[str, int]
    seconds: float
    latencies: list[float]
    cpu: float

    @property
    def each(self) -> float:
        """The seconds per request, of all connections together."""
        return self.seconds / len(self.latencies)

    def percentile(self, share: float) -> float:
        """Return the time that this share of the requests, such as 0.99, did not exceed."""
        return sorted(self.latencies)[min(int(share * len(self.latencies)), len(self.latencies) - 1)]


def put(plan: Plan) -> Result:
    """Run the load in a process of its own, and return the result."""
    argv = [sys.executable, "-m", "bench.load"]
    done = subprocess.run(argv, input=json.dumps(asdict(plan)), stdout=subprocess.PIPE, text=True, check=True)
    return Result(**json.loads(done.stdout))


class _Connection:
    """A connection and the request in progress on it."""

    def __init__(self, port: int, requests: list[str], over_and_over: bool, selector: selectors.BaseSelector) -> None:
        texts = [request.encode("latin-1") for request in requests]
        self._requests = iter(cycle(texts)) if over_and_over else iter(texts)
        self._address = ("127.0.0.1", port)
        self._selector = selector
        self._socket: socket.socket | None = None
        self._received = b""
        self._needed = 0
        self._begun = 0.0

    def send(self) -> bool:
        """Send the next request; return False if there is none."""
        request = next(self._requests, None)
        if request is None:
            self._close()
            return False
        self._begun = time.perf_counter()
        if self._socket is None:
            self._socket = socket.create_connection(self._address, _PATIENCE)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._selector.register(self._socket, selectors.EVENT_READ, self)
        self._socket.sendall(request)
        self._received, self._needed = b"", 0
        return True

    def receive(self) -> tuple[str, float] | None:
        """Read what has arrived; return the status and the time of the request when the response is complete."""
        assert self._socket is not None
        part = self._socket.recv(1 << 18)
        if not part:
            raise ConnectionError("the server closed the connection in the midst of an answer")
        self._received += part
        if not self._needed:
            end = self._received.find(b"\r\n\r\n")
            if end < 0:
                return None
            self._needed = end + 4 + self._body_length(end)
        if len(self._received) < self._needed:
            return None
        took = time.perf_counter() - self._begun
        if b"connection: close" in self._received[: self._needed].lower():
            self._close()
        return self._received[9:12].decode(), took

    def _body_length(self, end: int) -> int:
        head = self._received[:end].lower()
        if head[9:12] == b"304":
            return 0
        return int(head.split(b"content-length:")[1].split(b"\r\n")[0])

    def _close(self) -> None:
        if self._socket is not None:
            self._selector.unregister(self._socket)
            self._socket.close()
            self._socket = None


def run(plan: Plan) -> Result:
    """Run the load in this process, and return the result."""
    latencies: list[float] = []
    statuses: Counter[str] = Counter()
    with selectors.DefaultSelector() as selector:
        begun, spent = time.perf_counter(), time.process_time()
        until = begun + (plan.seconds or float("inf"))
        connections = [_Connection(plan.port, each, plan.seconds is not None, selector) for each in plan.connections]
        busy = sum(connection.send() for connection in connections)
        while busy:
            ready = selector.select(_PATIENCE)
            if not ready:
                raise TimeoutError("the server does not answer")
            for key, _ in ready:
                answer = key.data.receive()
                if answer is None:
                    continue
                statuses[answer[0]] += 1
                latencies.append(answer[1])
                if time.perf_counter() > until or not key.data.send():
                    busy -= 1
        seconds = time.perf_counter() - begun
    return Result(dict(statuses), seconds, latencies, time.process_time() - spent)


if __name__ == "__main__":
    json.dump(asdict(run(Plan(**json.load(sys.stdin)))), sys.stdout)
