"""Follow a log from one checkpoint to the next, as a witness does (docs/CHECKPOINTS.md, A witness of one's own)."""

from __future__ import annotations

from collections.abc import Sequence

from service.checkpoints import merkle
from service.checkpoints.errors import CheckpointError
from service.checkpoints.notes import Checkpoint
from service.checkpoints.verifying import Known


def check_size(known: Known | None, seen: Checkpoint) -> bool:
    """Return whether the log has grown since a known checkpoint, so that a path has to prove it.

    Raises:
        CheckpointError: `rolled_back` if it has become smaller, `split_view` if it has another root at the same size.
    """
    if known is None:
        return False
    if seen.size < known.size:
        raise CheckpointError("rolled_back", f"the log had {known.size} leaves, and shows {seen.size} now")
    if seen.size == known.size and seen.root != known.root:
        raise CheckpointError("split_view", f"the log of size {known.size} has another root than before")
    return seen.size > known.size


def follow(known: Known | None, seen: Checkpoint, path: Sequence[bytes]) -> Known:
    """Return the state of the log that is known after a checkpoint was seen.

    Args:
        known: the checkpoint that was known; None for the first.
        seen: one that the policy accepts.
        path: the proof that the log only grew; empty if it did not grow.

    Raises:
        CheckpointError: `rolled_back`, `split_view` or `not_consistent`.
    """
    grown = check_size(known, seen)
    if known is not None and grown and not merkle.is_consistent(known.size, seen.size, known.root, seen.root, path):
        raise CheckpointError(
            "not_consistent", f"the tree of size {seen.size} does not begin with the known one of size {known.size}"
        )
    return Known(seen.size, seen.root)
