"""Verify that a record is the game that a log committed to, offline (docs/CHECKPOINTS.md, Verifying)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from service.checkpoints import leaves, merkle
from service.checkpoints.bundles import Bundle
from service.checkpoints.errors import CheckpointError
from service.checkpoints.notes import Checkpoint, SignedNote
from service.checkpoints.policies import Policy
from service.checkpoints.proofs import Consistency, Proof


class Known(NamedTuple):
    """A checkpoint that somebody has kept: the size of the tree, and its root."""

    size: int
    root: bytes


@dataclass(frozen=True, slots=True)
class Proved:
    """A leaf that was found in the log: the game's version and status, its index, and the size of the tree."""

    version: int
    status: str
    index: int
    size: int


def verify(record: dict[str, Any], bundle: Bundle, policy: Policy, known: Known | None = None) -> list[Proved]:
    """Return the leaves that a bundle proves for a record, in the order of its proofs.

    Args:
        record: a record that the audit accepts.
        bundle: the proofs.
        policy: the keys that are believed.
        known: a checkpoint from before.

    Raises:
        CheckpointError: the first thing that is not as it has to be.
    """
    checkpoints = _Checkpoints(policy)
    links = leaves.links(record)
    found = [_proved(Proof.parse(text), record, links, checkpoints) for text in bundle.proofs]
    steps = []
    for text in bundle.consistency:
        step = Consistency.parse(text)
        steps.append((step, checkpoints.read(step.note)))
    _joined(steps, checkpoints.sizes(known))
    return found


class _Checkpoints:
    """The checkpoints of all notes of a bundle; one that several proofs have is checked once."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._read: dict[str, Checkpoint] = {}

    def read(self, note: str) -> Checkpoint:
        found = self._read.get(note)
        if found is None:
            found = self._read[note] = self._policy.check(SignedNote.parse(note))
        return found

    def sizes(self, known: Known | None) -> dict[int, bytes]:
        """Return the root for each size; raise CheckpointError `split_view` if a size has two of them."""
        roots: dict[int, bytes] = {}
        seen: list[Checkpoint | Known] = [*self._read.values()]
        for each in seen if known is None else [*seen, known]:
            if roots.setdefault(each.size, each.root) != each.root:
                raise CheckpointError("split_view", f"the tree of size {each.size} has two roots")
        return roots


def _proved(proof: Proof, record: dict[str, Any], links: Sequence[bytes], checkpoints: _Checkpoints) -> Proved:
    checkpoint = checkpoints.read(proof.note)
    version, status = proof.version, proof.status
    if proof.entry[:32] != leaves.tag(links[0], version):
        raise CheckpointError("wrong_game", f"the leaf of version {version} is another game's")
    if version >= len(links):
        raise CheckpointError("record_shorter", f"the log has version {version}, the record {len(links) - 1} entries")
    if proof.entry != leaves.entry(links[0], version, status, links[version]):
        raise CheckpointError("record_changed", f"the record is not the one that the log has at version {version}")
    if status != leaves.status_at(record, version):
        if status == leaves.FINISHED:
            raise CheckpointError("reopened", f"the log has the game over at version {version}, the record has not")
        raise CheckpointError("status_wrong", f"the record has the game over at version {version}, the log has not")
    leaf = merkle.leaf_hash(proof.entry)
    if merkle.root_of_path(leaf, proof.index, checkpoint.size, proof.path) != checkpoint.root:
        raise CheckpointError("not_included", f"the path of version {version} does not lead to the root")
    return Proved(version, status, proof.index, checkpoint.size)


def _joined(steps: Iterable[tuple[Consistency, Checkpoint]], roots: dict[int, bytes]) -> None:
    """Check that each tree begins with all smaller ones, as far as the steps say so, and that they say it of all."""
    grows: dict[int, list[int]] = {}
    for step, checkpoint in steps:
        old_root = merkle.EMPTY if step.old == 0 else roots.get(step.old)
        if old_root is None:
            raise CheckpointError("unlinked", f"no checkpoint has the size {step.old}")
        if not merkle.is_consistent(step.old, checkpoint.size, old_root, checkpoint.root, step.path):
            raise CheckpointError(
                "not_consistent", f"the tree of size {checkpoint.size} does not begin with that of size {step.old}"
            )
        grows.setdefault(checkpoint.size, []).append(step.old)
    # Two trees that both begin with a third need not agree, so every size has to lead to the largest one.
    reached: set[int] = set()
    todo = [max(roots)] if roots else []
    while todo:
        size = todo.pop()
        if size not in reached:
            reached.add(size)
            todo.extend(grows.get(size, ()))
    if missing := roots.keys() - reached:
        raise CheckpointError("unlinked", f"nothing joins the tree of size {min(missing)} to the largest one")
