"""The mail of what was said at a table that calls for no other mail any more."""

from __future__ import annotations

from service.mail.message import Content, Picture
from service.mail.rendering import render
from service.mail.talk import heard
from service.queries.mail_facts import Talked


def compose(talked: Talked, page: str, unsubscribe: str, answerable: bool, picture: Picture | None = None) -> Content:
    """Compose the mail; `page` is the reader's own link to the table, `unsubscribe` that to get no more mails of it,
    `answerable` whether an answer to it is taken in. It has no picture."""
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
