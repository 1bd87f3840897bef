"""The reasons for which a witness can't say that all is well."""

from service.checkpoints.errors import CheckpointError


class NotReached(Exception):
    """The service can't be reached, or does not answer with what there has to be; the text says what."""


class HistoryChanged(Exception):
    """The log is not a continuation of what it was; `error` says why, and `evidence` is kept for others.

    Args:
        error: its code is `rolled_back`, `split_view` or `not_consistent`.
        size: the size that the log shows.
        evidence: JSON data, from which others can see it too.
    """

    def __init__(self, error: CheckpointError, size: int, evidence: dict[str, object]) -> None:
        super().__init__(str(error))
        self.error = error
        self.size = size
        self.evidence = evidence
