"""A mail relay that hangs: a real SMTP server that at some step of the conversation says nothing more."""

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
"""Where it can hang: it takes the connection and says nothing."""

DATA = "354 "
"""It takes everything but the mail."""

TAKEN = "250 taken"
"""It has taken the mail and doesn't say so: that mail may be sent again, since nobody can know."""

_PARSER = BytesParser(policy=default)


@dataclass
class HangingRelay(Relay):
    """A relay, also as the mailbox of all whom it got mail for.

    Attributes:
        hangs_at: the answer that it doesn't give; None: it works.
        hung: how often it did not give one.
        unacknowledged: the mails, by name, whose sender wasn't told that they were taken.
    """

    hangs_at: str | None = None
    hung: int = 0
    unacknowledged: set[str] = field(default_factory=set)
    _read: int = 0
    _names: Counter[str] = field(default_factory=Counter)
    _codes: dict[str, str] = field(default_factory=dict)

    async def before_answer(self, answer: str) -> None:
        """Waits while this is the answer that it doesn't give."""
        if self.hangs_at is None or not answer.startswith(self.hangs_at):
            return
        self.hung += 1
        if self.hangs_at == TAKEN:
            self.unacknowledged.add(message_id(_PARSER.parsebytes(self.mails[-1])))
        while self.hangs_at is not None and answer.startswith(self.hangs_at):
            await asyncio.sleep(0.05)

    def mails_by_name(self) -> Counter[str]:
        """How many mails with each Message-ID it took."""
        self._read_on()
        return self._names.copy()

    def codes(self) -> dict[str, str]:
        """The last code that was mailed to each address."""
        self._read_on()
        return self._codes

    def _read_on(self) -> None:
        taken = self.mails[self._read :]
        for mail in taken:
            message = _PARSER.parsebytes(mail)
            self._names[message_id(message)] += 1
            self._codes.update(code_in(message))
        self._read += len(taken)


class _Hanging(Server):
    """The server of such a relay."""

    async def push(self, status: Any) -> None:
        """Called by aiosmtpd with each answer that is to be sent."""
        relay = self.event_handler
        assert isinstance(relay, HangingRelay)
        await relay.before_answer(status if isinstance(status, str) else status.decode())
        await super().push(status)


@contextmanager
def hanging() -> Iterator[HangingRelay]:
    """Such a relay on a free port of 127.0.0.1 until the block ends. At first it works."""
    relay = HangingRelay()
    with running(relay, server=_Hanging):
        yield relay
