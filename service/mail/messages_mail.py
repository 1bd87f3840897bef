"""The mail about messages at a table when no other mail about it is due."""

from __future__ import annotations

from service.mail.message import Content, Picture
from service.mail.message_parts import heard
from service.mail.rendering import render
from service.queries.talk_context import Talked


def compose(talked: Talked, page: str, unsubscribe: str, answerable: bool, picture: Picture | None = None) -> Content:
    """Compose the mail. `picture` is not used, because the mail has none.

    Args:
        page: the reader's own link to the table.
        unsubscribe: the link to stop mails about it.
        answerable: whether an answer to the mail is received.
    """
    return render(
        "talked",
        talked.to.reader,
        others=talked.people.others(),
        table=talked.table,
        **heard(talked.heard, talked.people),
        page=page,
        unsubscribe=unsubscribe,
        answerable=answerable,
    )
