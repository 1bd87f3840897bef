"""Read and write the note by which a log's old key introduces its new one, `nova-luna-log-key/1`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from service.checkpoints.errors import CheckpointError
from service.checkpoints.keys import LOG, SigningKey, VerifyKey
from service.checkpoints.notes import SignedNote, signed
from service.checkpoints.policies import Policy

FORMAT: Final = "nova-luna-log-key/1"


def endorsement(new: SigningKey, old: Sequence[SigningKey]) -> str:
    """Return the note that introduces a new key, signed by the old keys and by itself."""
    return signed(f"{FORMAT}\n{new.public.name}\n{new.public.vkey}\n", [*old, new])


def endorsed(note: SignedNote, policy: Policy) -> VerifyKey:
    """Return the key that a note introduces.

    Raises:
        CheckpointError: `signature_bad` or `unsigned` if a key of the policy or the new one did not sign it,
            `key_malformed` if it introduces no key of the policy's log.
    """
    old = [party.key for party in policy.logs]
    if not note.signers(old):
        raise CheckpointError("unsigned", "no key that the log had before signed it")
    lines = note.text.split("\n")
    if len(lines) != 4 or lines[0] != FORMAT or lines[1] != policy.origin:
        raise CheckpointError("key_malformed", f"three lines were expected: {FORMAT}, {policy.origin}, and a vkey")
    try:
        key = VerifyKey.parse(lines[2])
    except ValueError as error:
        raise CheckpointError("key_malformed", str(error)) from None
    if key.name != policy.origin or key.kind != LOG:
        raise CheckpointError("key_malformed", f"this is no key of the log {policy.origin}")
    if not note.signers([key]):
        raise CheckpointError("unsigned", "the new key did not sign it")
    return key
