"""People who answer mails: they read what is in the Maildir, and write back."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from email.message import EmailMessage
from email.utils import make_msgid, parseaddr

from sqlalchemy import text
from sqlalchemy.orm import Session

from service.access.reply_addresses import recipient
from service.jobs.workshop import Workshop
from service.mail.maildir import Maildir, address_of
from service.store import incoming
from service.store.queue import defer
from tests.jobs.queue import run

_DUE = text(
    "SELECT EXISTS (SELECT FROM procrastinate_jobs WHERE status = 'todo' AND coalesce(scheduled_at, now()) <= now())"
)

SERVICE = "nova-luna@example.org"


def taking_mail(workshop: Workshop, **more: object) -> Workshop:
    """The same workshop where mail is taken in."""
    return replace(workshop, settings=replace(workshop.settings, mail_in="lmtp://127.0.0.1:1", **more))  # type: ignore[arg-type]


@dataclass
class Post:
    """The mails of a workshop, both ways."""

    workshop: Workshop
    session: Session

    def got(self, address: str) -> list[EmailMessage]:
        """All mails to an address so far, oldest first."""
        assert isinstance(self.workshop.post, Maildir)
        return [mail for mail in self.workshop.post.messages() if address_of(mail) == address]

    def run(self) -> None:
        """Do all that is due."""
        self.session.commit()
        while self.session.scalar(_DUE):  # what a job calls for may come after the worker looked
            self.session.rollback()
            run(self.workshop)

    def put(self, to: str, said: str, sender: str, *, about: EmailMessage | None = None, **headers: str) -> int:
        """A mail comes in; its id. It is not read yet."""
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Message-ID"] = sender, to, make_msgid(domain="mail.example.net")
        mail["Subject"] = headers.pop("subject", None) or (f"Re: {about['Subject']}" if about else "hello")
        if about is not None:
            mail["In-Reply-To"] = about["Message-ID"]
            mail["References"] = f"{about['References'] or ''} {about['Message-ID']}".strip()
        for name, value in headers.items():
            mail[name.replace("_", "-")] = value
        mail.set_content(said)
        raw = mail.as_bytes()
        known = recipient(self.workshop.settings, parseaddr(to)[1])
        assert known is not None, f"{to} is no address of the service"
        id = incoming.add(
            self.session,
            hashlib.sha256(raw).digest(),
            known,
            parseaddr(sender)[1],
            {},
            raw,
            self.workshop.clock(),
        )
        assert id is not None
        defer(self.session, "take_in", {"incoming": id})
        self.session.commit()
        return id

    def write(self, to: str, said: str, sender: str, **more: object) -> list[EmailMessage]:
        """A mail comes in and is answered; what its sender got for it."""
        before = {str(mail["Message-ID"]) for mail in self.got(parseaddr(sender)[1])}
        self.put(to, said, sender, **more)  # type: ignore[arg-type]
        self.run()
        return [mail for mail in self.got(parseaddr(sender)[1]) if str(mail["Message-ID"]) not in before]

    def answer(self, mail: EmailMessage, said: str, sender: str | None = None, **more: object) -> list[EmailMessage]:
        """Somebody answers this mail; what they got for it."""
        return self.write(str(mail["Reply-To"] or mail["From"]), said, sender or str(mail["To"]), about=mail, **more)


def text_of(mail: EmailMessage) -> str:
    """What a mail says."""
    part = mail.get_body(("plain",))
    assert part is not None
    return str(part.get_content())
