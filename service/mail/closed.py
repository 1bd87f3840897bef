"""The mail about a table that was closed before its game began."""

from __future__ import annotations

from service.mail.message import Content
from service.mail.rendering import render
from service.mail.talk import heard
from service.queries.mail_context import Closed


def compose(closed: Closed, base_url: str, unsubscribe: str) -> Content:
    """Compose the mail; `unsubscribe` is the link to stop such mails."""
    return render(
        "closed",
        closed.to.reader,
        table=closed.table,
        seats=closed.seats,
        expired=closed.because == "expired",
        created_at=closed.created_at,
        url=f"{base_url}/v1/games",
        unsubscribe=unsubscribe,
        **heard(closed.heard, closed.people),
    )
