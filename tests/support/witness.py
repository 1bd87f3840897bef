"""A witness in memory (C2SP tlog-witness), which cosigns what continues the tree that it knows."""

from __future__ import annotations

from service.checkpoints import merkle
from service.checkpoints.keys import WITNESS, SigningKey
from service.checkpoints.notes import Checkpoint, Note
from service.checkpoints.proofs import Consistency


class Witness:
    """A witness of one log.

    Attributes:
        size: the size of the tree that it knows.
        root: its root.
        is_away: whether it can't be reached.
        asked: the sizes of the checkpoints that it was asked to cosign.
    """

    def __init__(self, name: str, origin: str) -> None:
        self.key = SigningKey(name, name.encode().ljust(32, b"."), WITNESS)
        self.origin = origin
        self.size, self.root = 0, merkle.EMPTY
        self.is_away = False
        self.asked: list[int] = []

    @property
    def policy_line(self) -> str:
        """The line of a policy that names it, with its URL."""
        name = self.key.public.name
        return f"witness {name} {self.key.public.vkey} https://{name}.example/submit\n"

    def answer(self, body: str) -> tuple[int, bytes]:
        """Return the status and the body with which it answers a request to add a checkpoint."""
        if self.is_away:
            raise ConnectionRefusedError
        step = Consistency.parse(body)
        note = Note.parse(step.note)
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

    def __init__(self, *names: str, origin: str) -> None:
        self.by_url = {f"https://{name}.example/submit/add-checkpoint": Witness(name, origin) for name in names}

    def __getitem__(self, number: int) -> Witness:
        return list(self.by_url.values())[number]

    def post(self, url: str, body: str) -> tuple[int, bytes]:
        """Send a body to the witness at a URL."""
        return self.by_url[url].answer(body)

    def policy(self, quorum: str) -> str:
        """Return the lines of a policy with all witnesses and a quorum."""
        return "".join(witness.policy_line for witness in self.by_url.values()) + quorum
