"""Follow a log: look at its newest checkpoint, and check that it continues the one that is known."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final, TypeVar

from engine.record import moment, stamp
from service.checkpoints import merkle
from service.checkpoints.encoding import to_base64
from service.checkpoints.endorsements import endorsed
from service.checkpoints.errors import CheckpointError
from service.checkpoints.following import check_size, follow
from service.checkpoints.keys import VerifyKey
from service.checkpoints.notes import Checkpoint, SignedNote
from service.checkpoints.policies import Policy
from service.checkpoints.tiles import TileNodes
from service.checkpoints.witness_file import WitnessFile
from service.witness.errors import HistoryChanged, NotReached
from service.witness.fetching import Service

EVIDENCE: Final = "nova-luna-evidence/1"

LATE: Final = timedelta(hours=48)
"""The time after which a log without a new checkpoint is reported."""

_MOST_KEYS = 32
_T = TypeVar("_T")


class Witness:
    """A witness at one log.

    Args:
        service: where the log is.
        kept: what the witness knows of it; None at the first time.
        vkey: at the first time, the key that the log must have; None takes what the service says.

    Raises:
        NotReached: the service does not have this log.
    """

    def __init__(self, service: Service, kept: WitnessFile | None, vkey: str | None = None) -> None:
        self._service = service
        self._kept = kept
        if kept is not None:
            text = kept.policy
        elif vkey is not None:
            text = f"log {vkey}\nquorum none\n"
        else:
            text = ""
        described = _described(service, Policy.parse(text).origin if text else None)
        self.log = _number(described)
        self.policy_text = _with_new_keys(text or _policy_of(described), described)
        self.policy = Policy.parse(self.policy_text)

    def look(self, now: datetime) -> tuple[WitnessFile, Checkpoint]:
        """Return the state of the log that is known after looking at the newest checkpoint.

        Raises:
            NotReached: the log can't be read.
            CheckpointError: the policy does not accept its checkpoint.
            HistoryChanged: it is not a continuation of what was known.
        """
        note = SignedNote.parse(self._service.note(self.log))
        seen = self.policy.check(note)
        known = None if self._kept is None else self._kept.known
        path: list[bytes] = []
        nodes = self.nodes(seen.size)
        try:
            if check_size(known, seen) and known is not None:
                path = _reading(lambda: merkle.consistency_path(known.size, seen.size, nodes.node))
            found = follow(known, seen, path)
        except CheckpointError as error:
            raise HistoryChanged(error, seen.size, self._evidence(error, seen, note, path, nodes, now)) from None
        sightings = [] if self._kept is None else self._kept.seen
        if not sightings or found != known:
            sightings = [*sightings, (found, stamp(now))]
        return WitnessFile(self.policy_text, found, note.whole, sightings), seen

    def nodes(self, size: int) -> TileNodes:
        """Return the subtrees of the log's tree at a size."""
        return TileNodes(lambda level, number, width: self._service.tile(self.log, level, number, width), size)

    def _evidence(
        self,
        error: CheckpointError,
        seen: Checkpoint,
        note: SignedNote,
        path: list[bytes],
        nodes: TileNodes,
        now: datetime,
    ) -> dict[str, object]:
        assert self._kept is not None
        known = self._kept.known
        inside = None
        if error.code == "not_consistent":
            inside = self._root_inside(known.size, seen, path, nodes)
        return {
            "format": EVIDENCE,
            "code": error.code,
            "found_at": stamp(now),
            "policy": self.policy_text,
            "notes": [self._kept.note, note.whole],
            "sizes": [known.size, seen.size],
            "path": [to_base64(each) for each in path],
            "old_root_in_new": None if inside is None else to_base64(inside),
        }

    def _root_inside(self, size: int, seen: Checkpoint, path: list[bytes], nodes: TileNodes) -> bytes | None:
        """Return the root that the first `size` leaves of the new tree have; None if its tiles are not those signed.

        With it the path leads to the new root, which shows anybody that the new tree has another beginning.
        """
        try:
            root = merkle.root_of_range(0, size, nodes.node)
        except (NotReached, ValueError):
            return None
        return root if merkle.is_consistent(size, seen.size, root, seen.root, path) else None


def is_late(kept: WitnessFile, now: datetime) -> bool:
    """Return whether the newest checkpoint was first seen so early that there should be another one."""
    return now - moment(kept.seen[-1][1]) >= LATE


def _reading(read: Callable[[], _T]) -> _T:
    try:
        return read()
    except ValueError as error:
        raise NotReached(str(error)) from None


def _described(service: Service, origin: str | None) -> dict[str, Any]:
    """Return the description of a log: that with this origin, else that which the address names, else the open one."""
    name: str
    wanted: str | int
    if origin is not None:
        name, wanted = "origin", origin
    elif service.log is not None:
        name, wanted = "log", service.log
    else:
        name, wanted = "state", "open"
    found: list[dict[str, Any]] = [each for each in service.logs() if each.get(name) == wanted]
    if not found:
        raise NotReached(f"the service has no log with the {name} {wanted}")
    return found[-1]


def _number(described: dict[str, Any]) -> int:
    number = described.get("log")
    if type(number) is not int or not 0 < number < 10**9:
        raise NotReached("a log has no number")
    return number


def _policy_of(described: dict[str, Any]) -> str:
    policy = described.get("policy")
    if not isinstance(policy, str) or Policy.parse(policy).origin != described.get("origin"):
        raise NotReached("the log has no policy with its keys")
    return policy


def _with_new_keys(policy: str, described: dict[str, Any]) -> str:
    """Return the policy with the keys that one of its own has introduced, at once or over others."""
    keys = described.get("keys")
    texts = [each.get("endorsement") for each in keys if isinstance(each, dict)] if isinstance(keys, list) else []
    notes = [text for text in texts[:_MOST_KEYS] if isinstance(text, str)]
    for _ in notes:
        before = policy
        for text in notes:
            policy = _with_endorsed(policy, text)
        if policy == before:
            break
    return policy


def _with_endorsed(policy: str, endorsement: str) -> str:
    believed = Policy.parse(policy)
    try:
        new: VerifyKey = endorsed(SignedNote.parse(endorsement), believed)
    except CheckpointError:
        return policy  # it introduces nobody; whether the log is signed all the same, its note will show
    known = {party.key.public for party in believed.logs}
    return policy if new.public in known else f"log {new.vkey}\n{policy}"
