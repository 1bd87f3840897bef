"""The two ways in which a mail fails to leave. Their texts go into logs, so they hold no address and no content."""

from __future__ import annotations


class TransientFailure(Exception):
    """It may work later: the relay is away, slow, busy, greylisting or wrongly configured. Try again.

    `mend` names the setting by which the host can help it, None: waiting may.
    """

    def __init__(self, text: str, mend: str | None = None) -> None:
        super().__init__(text)
        self.mend = mend


class PermanentFailure(Exception):
    """It will not work: the relay refused this sender, recipient or message for good. Do not try again.

    `status` is the enhanced code (RFC 3463) with which it refused the recipient, if it gave one.
    """

    def __init__(self, text: str, status: str | None = None) -> None:
        super().__init__(text)
        self.status = status
