"""The refusal of everything that is read here: texts, proofs, and what a log shows."""

from typing import Final

CODES: Final = (
    "policy_malformed",
    "bundle_malformed",
    "proof_malformed",
    "note_malformed",
    "signature_bad",
    "unsigned",
    "wrong_origin",
    "checkpoint_malformed",
    "witnesses_missing",
    "wrong_game",
    "record_shorter",
    "record_changed",
    "reopened",
    "status_wrong",
    "not_included",
    "split_view",
    "unlinked",
    "not_consistent",
    "key_malformed",
    "rolled_back",
)
"""All codes, in the order in which a verifier meets them (docs/CHECKPOINTS.md)."""


class CheckpointError(Exception):
    """Something is not as docs/CHECKPOINTS.md says, or a log or a record is not what was signed.

    Args:
        code: one of `CODES`.
        detail: a sentence that says what is wrong.
    """

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail
