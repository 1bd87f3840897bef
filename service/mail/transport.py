"""The destination of this service's mails: its relay, or its Maildir."""

from __future__ import annotations

from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path
from typing import Protocol

from service.config import Settings
from service.mail.maildir import Maildir
from service.mail.relay_group import RelayGroup, relays
from service.mail.smtp_pool import SmtpConnectionPool


class Transport(Protocol):
    """A destination that takes messages, or raises TransientFailure or PermanentFailure (`service.mail.failures`)."""

    def deliver(
        self, message: EmailMessage, return_path: str | None = None, last_look: Callable[[], bool] | None = None
    ) -> bool:
        """Deliver the message; return True once the relay has accepted it, or it is on disk.

        Args:
            message: the message.
            return_path: where a delivery report is returned to; None: to its sender.
            last_look: called just before the content is sent, however long everything before that took; says whether
                the message is still to be sent. If not, nothing is sent, and False is returned.
        """


def make_transport(settings: Settings) -> Transport:
    """Return the relay of `NOVALUNA_SMTP_URL`, or those that it names, or else the Maildir."""
    if settings.smtp_url is None:
        return maildir(settings)
    weighted = relays(settings.smtp_url)
    return RelayGroup(weighted) if len(weighted) > 1 else SmtpConnectionPool(weighted[0].relay)


def maildir(settings: Settings) -> Maildir:
    """Return the Maildir in the data folder; raise ValueError without a data folder."""
    if settings.data_dir is None:
        raise ValueError("There is no Maildir without a data folder; set NOVALUNA_DATA.")
    return Maildir(Path(settings.data_dir) / "mail")
