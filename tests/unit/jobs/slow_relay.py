"""A slow relay."""

import asyncio
from queue import SimpleQueue
from threading import Event

from aiosmtpd.smtp import SMTP, Envelope
from aiosmtpd.smtp import Session as SmtpSession

from tests.support.mail import relay as relays
from tests.unit.jobs.worker_process import PATIENCE


class SlowRelay(relays.Relay):
    """A relay that tells the test when it has a mail, and acknowledges it only when the test lets it."""

    def __init__(self) -> None:
        super().__init__()
        self.taken: SimpleQueue[bytes] = SimpleQueue()
        self.go_on = Event()

    async def handle_DATA(self, server: SMTP, session: SmtpSession, envelope: Envelope) -> str:
        answer = await super().handle_DATA(server, session, envelope)
        self.taken.put(self.mails[-1])
        await asyncio.to_thread(self.go_on.wait, PATIENCE)
        return answer
