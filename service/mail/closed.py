"""The mail about a table that was closed before its game began."""

from __future__ import annotations

from service.access.links import new_table_page
from service.mail.mailto import mailto
from service.mail.message import Content
from service.mail.message_parts import heard
from service.mail.rendering import render
from service.queries.closed_context import Closed
from service.reading.shown_words import SHOWN


def compose(closed: Closed, base_url: str, unsubscribe: str, write_to: str | None) -> Content:
    """Compose the mail.

    Args:
        closed: the facts of the table.
        base_url: the public URL of the service.
        unsubscribe: the link to stop such mails.
        write_to: the service's own address; None: no mail is received.
    """
    line = f"{SHOWN[closed.to.reader.language.code]['new']} {closed.seats}"
    return render(
        "closed",
        closed.to.reader,
        line=line,
        write_to=write_to,
        begin=None if write_to is None else mailto(write_to, line, line),
        new_table=new_table_page(base_url),
        over_http=closed.to.over_http,
        table=closed.table,
        seats=closed.seats,
        expired=closed.because == "expired",
        created_at=closed.created_at,
        url=f"{base_url}/v1/games",
        unsubscribe=unsubscribe,
        **heard(closed.heard, closed.people),
    )
