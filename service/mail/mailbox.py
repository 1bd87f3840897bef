"""The output of `novaluna mailbox [ADDRESS]`: the mails in the Maildir as a person reads them."""

from __future__ import annotations

from collections.abc import Iterator
from email.message import EmailMessage

from service.language.sanitize import printable
from service.mail.maildir import Maildir, address_of

_RULE = "─" * 72
_HEADERS = ("From", "To", "Date", "Subject", "Reply-To")


def show(maildir: Maildir, address: str | None = None) -> Iterator[str]:
    """Yield each mail as a text, oldest first: its main headers, an empty line, and the decoded text part.

    Control characters are replaced, so that they cannot affect the terminal.

    Args:
        address: only the mails to this address, ignoring case; None: all.
    """
    wanted = None if address is None else address.strip().lower()
    for message in maildir.messages():
        if wanted is None or address_of(message).lower() == wanted:
            yield _render(message)


def _render(message: EmailMessage) -> str:
    head = "\n".join(
        f"{name}: {printable(str(message[name] or ''))}" for name in _HEADERS if name in _HEADERS[:4] or message[name]
    )
    part = message.get_body(preferencelist=("plain",))
    text = "" if part is None else str(part.get_content()).replace("\r\n", "\n")
    body = "\n".join(printable(line) for line in text.rstrip("\n").split("\n"))
    return f"{_RULE}\n{head}\n\n{body}\n"
