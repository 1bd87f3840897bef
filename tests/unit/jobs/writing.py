"""People who reply to mails: they read what is in the Maildir, and write back."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from datetime import timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import make_msgid, parseaddr

from sqlalchemy import text
from sqlalchemy.orm import Session

from service.access.reply_addresses import recipient
from service.jobs import ledger
from service.jobs.deadlines import settle_now
from service.jobs.deliver import WRITERS
from service.jobs.incoming_mail import take_in
from service.jobs.outgoing_mail import OutgoingMail, heeding_list
from service.jobs.worker_context import WorkerContext
from service.mail.message import build, to_bytes
from service.store import incoming
from service.store.queue import defer
from tests.support.mail.text import text_of

_NEXT = text("""
    UPDATE procrastinate_jobs SET status = 'doing'
     WHERE id = (SELECT id FROM procrastinate_jobs WHERE status = 'todo' ORDER BY priority DESC, id LIMIT 1)
    RETURNING task_name, args
""")

SERVICE = "nova-luna@example.org"

_A_MOMENT = timedelta(milliseconds=1)
"""The time between two readings of what a mail tells."""


def taking_mail(context: WorkerContext, **more: object) -> WorkerContext:
    """Return the same context for a service that receives mail."""
    return replace(context, settings=replace(context.settings, mail_in="lmtp://127.0.0.1:1", **more))  # type: ignore[arg-type]


@dataclass
class Post:
    """The mails of a worker in both directions."""

    context: WorkerContext
    session: Session

    sent: list[EmailMessage] = field(default_factory=list)
    with_scene: set[str] = field(default_factory=set)
    """The Message-IDs of the mails that a picture would go with, if any were drawn."""
    tasks: set[str] = field(default_factory=set)
    """The tasks whose mails were written."""
    dmarc: str | None = "pass"
    """What the relay finds of the mails that come in; None: there is none that looks."""

    def got(self, address: str) -> list[EmailMessage]:
        """Return all mails to an address so far, oldest first."""
        return [mail for mail in self.sent if parseaddr(str(mail["To"]))[1] == address]

    def run(self) -> None:
        """Do everything that is due as the worker does it, but in this process."""
        self.session.commit()
        while (job := self.session.execute(_NEXT).first()) is not None:
            self.session.commit()
            if job.task_name == "take_in":
                take_in(self.context, job.args["incoming"])
            elif job.task_name in WRITERS:
                self._send(job.task_name, job.args)
            elif job.task_name == "settle_clock":
                settle_now(self.context, job.args["game"])

    def _send(self, task: str, args: dict[str, int | str]) -> None:
        now = self.context.clock()
        self.tasks.add(task)
        page = ledger.entry(self.session, self.context, task, args, now)
        mail = WRITERS[task](self.session, self.context.settings, now, **args) if page.is_wanted else None
        mail = heeding_list(self.session, self.context.settings, mail)
        self.session.commit()
        if isinstance(mail, OutgoingMail):  # before a mail leaves, the worker reads everything once more
            again = WRITERS[task](self.session, self.context.settings, now + _A_MOMENT, **args)
            self.session.commit()
            assert isinstance(again, OutgoingMail) and again.tells_the_same_as(mail), f"{task} is never sent"
        if not isinstance(mail, OutgoingMail):
            page.leave(mail)
        else:
            raw = to_bytes(build(mail.compose(None), mail.envelope, now))
            self.sent.append(message_from_bytes(raw, _class=EmailMessage, policy=policy.default))
            self.with_scene |= set() if mail.scene is None else {str(self.sent[-1]["Message-ID"])}
            page.sent(mail.after)

    def put(self, to: str, said: str, sender: str, *, about: EmailMessage | None = None, **headers: str) -> int:
        """Deliver a mail to the service without processing it, and return its id."""
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Message-ID"] = sender, to, make_msgid(domain="mail.example.net")
        mail["Subject"] = headers.pop("subject", None) or (f"Re: {about['Subject']}" if about else "hello")
        if about is not None:
            mail["In-Reply-To"] = about["Message-ID"]
            mail["References"] = f"{about['References'] or ''} {about['Message-ID']}".strip()
        for name, value in headers.items():
            del mail[name.replace("_", "-")]
            mail[name.replace("_", "-")] = value
        mail.set_content(said)
        return self.put_raw(to, mail.as_bytes(), parseaddr(sender)[1])

    def put_raw(self, to: str, raw: bytes, sender: str) -> int:
        """Deliver these bytes from this address without processing them, and return the mail's id."""
        known = recipient(self.context.settings, parseaddr(to)[1])
        assert known is not None, f"{to} is no address of the service"
        id = incoming.add(
            self.session,
            hashlib.sha256(raw).digest(),
            known,
            sender,
            {"dmarc": self.dmarc} if self.dmarc else {},
            raw,
            self.context.clock(),
        )
        assert id is not None
        defer(self.session, "take_in", {"incoming": id})
        self.session.commit()
        return id

    def forget(self) -> None:
        """Take all accounts' addresses away, so that others can have them."""
        self.session.execute(text("UPDATE accounts SET email = NULL"))
        self.session.commit()
        self.sent.clear()

    def write(self, to: str, said: str, sender: str, **more: object) -> list[EmailMessage]:
        """Deliver a mail and process it, and return the replies to its sender."""
        before = len(self.sent)
        self.put(to, said, sender, **more)  # type: ignore[arg-type]
        self.run()
        new = (mail for mail in self.sent[before:] if parseaddr(str(mail["To"]))[1] == parseaddr(sender)[1])
        return [mail for mail in new if mail["Auto-Submitted"] == "auto-replied"]

    def answer(self, mail: EmailMessage, said: str, sender: str | None = None, **more: object) -> list[EmailMessage]:
        """Reply to this mail, and return the service's replies to that."""
        return self.write(str(mail["Reply-To"] or mail["From"]), said, sender or str(mail["To"]), about=mail, **more)


def lines_of(mail: EmailMessage) -> list[str]:
    """Return the lines of a reply about each line of the mail that it replies to."""
    told = text_of(mail).partition("WHAT BECAME OF YOUR MAIL\n")[2].split("\n\n")[0]
    return [line.removeprefix("- ") for line in told.splitlines()]
