"""Links that open a mail program with an answer already written (RFC 6068), which one more tap sends."""

from __future__ import annotations

from urllib.parse import quote


def mailto(address: str, subject: str, body: str) -> str:
    """Return the URI of a mail to an address; line ends and everything but plain ASCII are percent-encoded."""
    local, _, domain = address.rpartition("@")
    return f"mailto:{encoded(local)}@{encoded(domain)}?subject={encoded(subject)}&body={encoded(body)}"


def encoded(text: str) -> str:
    """Return a text percent-encoded for a URI."""
    return quote(text, safe="")
