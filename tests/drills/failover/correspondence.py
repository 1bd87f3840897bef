"""A player who answers a mail again and again, by the receivers of all hosts: what one accepts is said once.

As a mail server does, the player sends a mail that was not accepted again, to the next host.
"""

from __future__ import annotations

import smtplib
from collections.abc import Sequence
from contextlib import suppress
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import make_msgid, parseaddr
from itertools import count
from threading import Event, Thread

from tests.drills.client import Api, Player, start
from tests.drills.hanging_relay import HangingRelay
from tests.drills.mailbox import message_id
from tests.drills.service import Service
from tests.support.running import eventually

MAIL_FROM = "Nova Luna <nova-luna@play.example.org>"
"""The sender of the service's mails, and the address of its receivers."""

PORT = 8024
"""The port of each host's receiver."""

_EVERY = 0.5
_PATIENCE = 5.0
_READ = 120.0
"""Seconds within which all accepted mails must have been read."""

_SAID = (
    "SELECT text, count(*) FROM messages JOIN tables ON tables.key = messages.game WHERE tables.id = %s GROUP BY text"
)


class Correspondence:
    """A thread that sends mails to a table, one after the other.

    Attributes:
        accepted: what was said in mails that a receiver has accepted.

    Args:
        api: begins the game.
        people: its players; the first one writes.
        relay: where the service's mails go.
        hosts: the addresses of the receivers.
    """

    def __init__(self, api: Api, people: Sequence[Player], relay: HangingRelay, hosts: Sequence[str]) -> None:
        self.accepted: list[str] = []
        self._game = start(api, people)
        self._relay, self._hosts = relay, hosts
        self._turn = self._first_mail()
        self._over = Event()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop writing."""
        self._over.set()
        self._thread.join()

    def check(self, service: Service, *, may_lose: bool) -> None:
        """Check that each mail that was accepted has been read once, unless it may have been lost."""
        accepted = list(self.accepted)

        def said() -> dict[str, int]:
            with service.database() as connection:
                return dict(connection.execute(_SAID, [self._game.id]).fetchall())

        if not may_lose:
            eventually(lambda: set(accepted) <= said().keys(), _READ, every=0.3)
        assert set(said().values()) <= {1}, "a mail was read twice"

    def _first_mail(self) -> EmailMessage:
        """Wait for the mail that says who begins, and return it."""
        found: list[EmailMessage] = []

        def is_there() -> bool:
            mails = (message_from_bytes(raw, _class=EmailMessage, policy=policy.default) for raw in self._relay.mails)
            found.extend(mail for mail in mails if message_id(mail).startswith(f"turn.{self._game.id}."))
            return bool(found)

        eventually(is_there, _READ)
        return found[0]

    def _run(self) -> None:
        hosts = count()
        for number in count(1):
            mail = self._written(f"Letter {number}.")
            while not self._over.wait(_EVERY):
                with suppress(OSError, smtplib.SMTPException):
                    self._send(mail, self._hosts[next(hosts) % len(self._hosts)])
                    self.accepted.append(f"Letter {number}.")
                    break
            if self._over.is_set():
                return

    def _written(self, text: str) -> EmailMessage:
        mail = EmailMessage()
        mail["From"], mail["To"] = str(self._turn["To"]), str(self._turn["Reply-To"])
        mail["Subject"] = f"Re: {self._turn['Subject']}"
        mail["Message-ID"] = make_msgid(domain="mail.example.org")
        mail["In-Reply-To"] = str(self._turn["Message-ID"])
        mail.set_content(f"say {text}\n")
        return mail

    def _send(self, mail: EmailMessage, host: str) -> None:
        with smtplib.LMTP(host, PORT) as receiver:
            assert receiver.sock is not None
            receiver.sock.settimeout(_PATIENCE)
            receiver.sendmail(parseaddr(str(mail["From"]))[1], [parseaddr(str(mail["To"]))[1]], mail.as_bytes())
