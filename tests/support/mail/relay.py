"""A relay on the loopback interface: a real SMTP server whose replies a test sets."""

import asyncio
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Thread

from aiosmtpd.smtp import SMTP as Server
from aiosmtpd.smtp import AuthResult, Envelope, LoginPassword, Session


@dataclass
class Relay:
    """The mails that the relay received, and the replies that it will send.

    Each list of replies is used up from its front; after that, everything is accepted.
    """

    port: int = 0
    mails: list[bytes] = field(default_factory=list)
    recipients: list[str] = field(default_factory=list)
    senders: list[str] = field(default_factory=list)
    secure: list[bool] = field(default_factory=list)
    logins: list[tuple[str, str]] = field(default_factory=list)
    answer_mail: list[str] = field(default_factory=list)
    answer_rcpt: list[str] = field(default_factory=list)
    answer_data: list[str] = field(default_factory=list)

    async def handle_MAIL(
        self, server: Server, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.answer_mail:
            return self.answer_mail.pop(0)
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(
        self, server: Server, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.answer_rcpt:
            return self.answer_rcpt.pop(0)
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Server, session: Session, envelope: Envelope) -> str:
        if self.answer_data:
            return self.answer_data.pop(0)
        assert isinstance(envelope.content, bytes)
        assert server.transport is not None
        self.senders.append(envelope.mail_from or "")
        self.recipients.extend(envelope.rcpt_tos)
        self.secure.append(server.transport.get_extra_info("ssl_object") is not None)
        self.mails.append(envelope.content)  # last, because a reader that sees a mail looks for its recipient
        return "250 taken"

    def authenticate(
        self, server: Server, session: Session, envelope: Envelope, mechanism: str, login: object
    ) -> AuthResult:
        assert isinstance(login, LoginPassword)
        self.logins.append((login.login.decode(), login.password.decode()))
        right = login.password != b"wrong"
        return AuthResult(success=right, handled=right)


@contextmanager
def running(
    relay: Relay | None = None,
    *,
    starttls: ssl.SSLContext | None = None,
    smtps: ssl.SSLContext | None = None,
    auth: bool = False,
    server: type[Server] = Server,
    address: str = "127.0.0.1",
) -> Iterator[Relay]:
    """Run a relay on a free port of an address of this machine during the block; `server` is its protocol class."""
    relay = relay or Relay()
    loop = asyncio.new_event_loop()

    def make() -> Server:
        return server(
            relay,
            hostname=address,
            tls_context=starttls,
            require_starttls=starttls is not None,
            authenticator=relay.authenticate,
            auth_required=auth,
            auth_require_tls=False,
            loop=loop,
        )

    listening = loop.run_until_complete(loop.create_server(make, address, 0, ssl=smtps))
    relay.port = listening.sockets[0].getsockname()[1]
    thread = Thread(target=loop.run_forever)
    thread.start()
    try:
        yield relay
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        listening.close()
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()
