"""A mail relay that hangs: a real SMTP server that stops responding at some step of the conversation."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import default
from typing import Any

from aiosmtpd.smtp import SMTP as Server

from tests.drills.mailbox import code_in, message_id
from tests.support.mail.relay import Relay, running

GREETING = "220 "
"""Hang at the greeting: the connection is accepted, and nothing is sent."""

DATA = "354 "
"""Hang at DATA: everything but the content is accepted."""

TAKEN = "250 taken"
"""Hang at the acknowledgment: the mail was accepted and may be sent again, because the sender cannot know."""

_PARSER = BytesParser(policy=default)


@dataclass
class HangingRelay(Relay):
    """A relay, and the mailbox of everybody that it received mail for.

    Attributes:
        hangs_at: the reply that it does not send; None: it works.
        hung: how often it did not send one.
        ids: the Message-IDs of all mails that were read so far, each without what follows the @.
        unacknowledged: the keys of mails whose sender was not told that they were accepted.
    """

    hangs_at: str | None = None
    hung: int = 0
    ids: set[str] = field(default_factory=set)
    unacknowledged: set[str] = field(default_factory=set)
    _read: int = 0
    _names: Counter[str] = field(default_factory=Counter)
    _codes: dict[str, str] = field(default_factory=dict)

    async def before_answer(self, answer: str) -> None:
        """Wait for as long as this is the reply that is not sent."""
        if self.hangs_at is None or not answer.startswith(self.hangs_at):
            return
        self.hung += 1
        if self.hangs_at == TAKEN:
            self.unacknowledged.add(message_id(_PARSER.parsebytes(self.mails[-1])))
        while self.hangs_at is not None and answer.startswith(self.hangs_at):
            await asyncio.sleep(0.05)

    def mails_by_name(self) -> Counter[str]:
        """Return the number of mails with each key that it has accepted."""
        self._read_on()
        return self._names.copy()

    def codes(self) -> dict[str, str]:
        """Return the last code that was mailed to each address."""
        self._read_on()
        return self._codes

    def _read_on(self) -> None:
        taken = self.mails[self._read :]
        for mail in taken:
            message = _PARSER.parsebytes(mail)
            self._names[message_id(message)] += 1
            self.ids.add(str(message["Message-ID"]).strip("<>").rpartition("@")[0])
            self._codes.update(code_in(message))
        self._read += len(taken)


class _Hanging(Server):
    """The SMTP server of such a relay."""

    async def push(self, status: Any) -> None:
        """Send a reply; aiosmtpd calls this for each one."""
        relay = self.event_handler
        assert isinstance(relay, HangingRelay)
        await relay.before_answer(status if isinstance(status, str) else status.decode())
        await super().push(status)


@contextmanager
def hanging(address: str = "127.0.0.1") -> Iterator[HangingRelay]:
    """Run such a relay on a free port of an address of this machine during the block; at first it works."""
    relay = HangingRelay()
    with running(relay, server=_Hanging, address=address):
        yield relay
