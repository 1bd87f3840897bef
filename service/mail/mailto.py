"""Links that open a mail program with an answer already written (RFC 6068), which one more tap sends."""

from __future__ import annotations

from urllib.parse import quote


def mailto(address: str, answer: str, subject: str) -> str:
    """Return the link for a mail to this address with this answer and subject."""
    return f"mailto:{quote(address, safe='@+')}?subject={quote(subject)}&body={quote(answer)}"
