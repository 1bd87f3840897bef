"""The text of a mail, as a mail program that shows no HTML shows it."""

from __future__ import annotations

from email.message import EmailMessage


def text_of(mail: EmailMessage) -> str:
    """Return the text of a mail."""
    part = mail.get_body(("plain",))
    assert part is not None
    return str(part.get_content()).replace("\r\n", "\n")
