"""Where the mails of this service go: to its relay, or into its Maildir."""

from __future__ import annotations

from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path
from typing import Protocol

from service.config import Settings
from service.mail.maildir import Maildir
from service.mail.relay import Relay
from service.mail.smtp_pool import SmtpConnectionPool


class Transport(Protocol):
    """Takes a message for good, or raises TransientFailure or PermanentFailure (`service.mail.failures`)."""

    def deliver(
        self, message: EmailMessage, return_path: str | None = None, last_look: Callable[[], bool] | None = None
    ) -> bool:
        """Hand the message over, and return True once it is in other hands, or on the disk.

        If it turns out later that it can't be delivered it comes back to `return_path`; None: to its sender.
        `last_look` is called as the last thing before the content is given away, however long what came before that
        took: it says whether the message is still to be sent. If not, nothing is, and False is returned.
        """


def make_transport(settings: Settings) -> Transport:
    """The relay of `NOVALUNA_SMTP_URL`, else the Maildir."""
    return SmtpConnectionPool(Relay.from_url(settings.smtp_url)) if settings.smtp_url else maildir(settings)


def maildir(settings: Settings) -> Maildir:
    """The Maildir below the data folder. Raises ValueError where there is no data folder."""
    if settings.data_dir is None:
        raise ValueError("There is no Maildir without a data folder; set NOVALUNA_DATA.")
    return Maildir(Path(settings.data_dir) / "mail")
