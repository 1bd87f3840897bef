"""The mail that tells a stranger who wrote what this service is; it repeats nothing that they sent."""

from __future__ import annotations

from service.access.links import rules_page
from service.language.languages import Language, Reader
from service.mail.mailto import mailto
from service.mail.message import Content
from service.mail.rendering import render
from service.reading.shown_words import SHOWN


def compose(language: Language, base_url: str, own_address: str, never: str) -> Content:
    """Compose the mail; `own_address` is where to write to, `never` the link that blocks all mail."""
    word = SHOWN[language.code]
    subject = language.say("What Nova Luna by post is")
    lines = {"solo": word["solo"], "new": f"{word['new']} 2, "}
    return render(
        "about",
        Reader(language),
        subject=subject,
        own_address=own_address,
        begin={kind: mailto(own_address, subject, line) for kind, line in lines.items()},
        rules=rules_page(base_url, language.code),
        never=never,
    )
