"""The kinds of delivery failure, and the wait for room at a domain.

Their texts are logged, so they contain no address and no content.
"""

from __future__ import annotations


class TransientFailure(Exception):
    """A failure that may pass: the relay is down, slow, busy, greylisting or misconfigured. Try again.

    Attributes:
        mend: the setting with which the operator can fix it; None: waiting may help.
    """

    def __init__(self, text: str, mend: str | None = None) -> None:
        super().__init__(text)
        self.mend = mend


class RelayUnavailable(TransientFailure):
    """A failure of the relay before it had anything of the mail, so that another relay can be given it at once."""


class Unacknowledged(TransientFailure):
    """A failure after the relay was given the content, without a reply to it: it may have the mail."""


class DomainOverloaded(TransientFailure):
    """A reply by which the recipient's domain asks for fewer mails: 421, or a status 4.7.x (RFC 3463)."""


class RecipientDeferred(TransientFailure):
    """A reply about the recipient or its domain, such as by greylisting; it says nothing about the relay."""


class Held(Exception):
    """A decision and no failure: the mail waits in the queue until its domain may have more."""


class PermanentFailure(Exception):
    """A failure for good: the relay refused this sender, recipient or message permanently. Do not try again.

    Attributes:
        status: the enhanced status code (RFC 3463) with which it refused the recipient, if it gave one.
    """

    def __init__(self, text: str, status: str | None = None) -> None:
        super().__init__(text)
        self.status = status
