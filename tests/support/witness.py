"""Witnesses (C2SP tlog-witness) that cosign what continues the tree that they know: in memory, or asked over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from service.checkpoints import merkle
from service.checkpoints.keys import WITNESS, SigningKey
from service.checkpoints.notes import Checkpoint, SignedNote
from service.checkpoints.proofs import Consistency


class Witness:
    """A witness of one log.

    Attributes:
        size: the size of the tree that it knows.
        root: its root.
        is_away: whether it can't be reached.
        asked: the sizes of the checkpoints that it was asked to cosign.
    """

    def __init__(self, name: str, origin: str, url: str) -> None:
        self.url = url
        self.key = SigningKey(name, name.encode().ljust(32, b"."), WITNESS)
        self.origin = origin
        self.size, self.root = 0, merkle.EMPTY
        self.is_away = False
        self.asked: list[int] = []

    @property
    def policy_line(self) -> str:
        """The line of a policy that names it, with its URL."""
        return f"witness {self.key.public.name} {self.key.public.vkey} {self.url}\n"

    def answer(self, body: str) -> tuple[int, bytes]:
        """Return the status and the body with which it answers a request to add a checkpoint."""
        if self.is_away:
            raise ConnectionRefusedError
        step = Consistency.parse(body)
        note = SignedNote.parse(step.note)
        checkpoint = Checkpoint.parse(note.text, self.origin)
        self.asked.append(checkpoint.size)
        if step.old > checkpoint.size:
            return 400, b""
        if step.old != self.size or (step.old == checkpoint.size and checkpoint.root != self.root):
            return 409, b"%d\n" % self.size
        if not merkle.is_consistent(step.old, checkpoint.size, self.root, checkpoint.root, step.path):
            return 422, b""
        self.size, self.root = checkpoint.size, checkpoint.root
        return 200, self.key.cosign(note.text, 1_790_000_000).encode()


class Witnesses:
    """Some witnesses, each at its own URL; `post` is what `service.jobs.witnesses.post` does over the network."""

    def __init__(self, *names: str, origin: str, at: str = "https://witnesses.example") -> None:
        made = [Witness(name, origin, f"{at}/{name}") for name in names]
        self.by_url = {f"{witness.url}/add-checkpoint": witness for witness in made}

    def __getitem__(self, number: int) -> Witness:
        return list(self.by_url.values())[number]

    def post(self, url: str, body: str) -> tuple[int, bytes]:
        """Send a body to the witness at a URL."""
        return self.by_url[url].answer(body)

    def policy(self, quorum: str) -> str:
        """Return the lines of a policy with all witnesses and a quorum."""
        return "".join(witness.policy_line for witness in self.by_url.values()) + quorum


@contextmanager
def served(*names: str, origin: str) -> Iterator[Witnesses]:
    """Yield witnesses that answer over HTTP at 127.0.0.1, and so remember what they signed whoever is killed."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = self.rfile.read(int(self.headers["Content-Length"])).decode()
            status, body = witnesses.post(f"{address}{self.path}", asked)
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *_: object) -> None:
            """Write nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        address = f"http://127.0.0.1:{server.server_port}"
        witnesses = Witnesses(*names, origin=origin, at=address)
        Thread(target=server.serve_forever, daemon=True).start()
        yield witnesses
        server.shutdown()
