"""Links that open a mail program with an answer written (RFC 6068), so that one tap more sends it."""

from __future__ import annotations

from urllib.parse import quote


def mailto(address: str, answer: str, subject: str) -> str:
    """The link: a mail to this address, with this answer in its first line."""
    return f"mailto:{quote(address, safe='@+')}?subject={quote(subject)}&body={quote(answer)}"
