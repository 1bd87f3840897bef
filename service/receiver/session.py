"""One connection: the bounds that aiosmtpd lacks, LMTP's answer for each recipient, and no word too many.

aiosmtpd reads commands and answers them; what comes after DATA is read here, in pieces instead of line by line, as four
megabytes of empty lines would be two million objects. Nothing that a client sent is repeated to it or logged.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Sequence
from typing import AnyStr

import structlog
from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope

from service.access.reply_addresses import Recipient, recipient
from service.receiver import bounds
from service.receiver.ingest import ReceivedMail
from service.receiver.receiver import STOPPING, Receiver

_DOT = b".\r\n"
_END = b"\r\n" + _DOT
_BARE = re.compile(r"(\d{3}) (?![245]\.\d)(.*)")
_REPEATS = '500 Error: command "'
_LEADING = frozenset(b".\r\n")
_MOST_LEADING = 1000

_GONE = "421 4.4.2 The other side was closed"
_TOO_SLOW = "421 4.4.2 That took too long"
_TOO_LARGE = f"552 5.3.4 A mail may have {bounds.LARGEST} bytes at most; an answer needs no attachments"
_NO_COMMAND = "500 5.5.1 There is no such command"
_NO_MAIL = "554 5.6.0 This is no mail"
_UNKNOWN = "550 5.1.1 There is no such address here"

logging.getLogger("mail.log").setLevel(logging.CRITICAL)  # aiosmtpd logs every command, with the addresses in it

_log = structlog.get_logger(__name__)


class RecipientEnvelope(Envelope):
    """What aiosmtpd knows of a mail, and whom it is for."""

    def __init__(self) -> None:
        super().__init__()
        self.to: list[Recipient] = []


class Connection(SMTP):
    """A connection by SMTP (RFC 5321)."""

    line_length_limit = bounds.READ_AT_ONCE
    answers_each = False

    def __init__(self, receiver: Receiver) -> None:
        super().__init__(
            self,
            data_size_limit=bounds.LARGEST,
            enable_SMTPUTF8=True,
            hostname=receiver.name,
            ident="Nova Luna by post",
            timeout=bounds.IDLE_SECONDS,
            command_call_limit=bounds.COMMANDS,
            loop=receiver.loop,
        )
        self._receiver = receiver
        self._taken_in = False
        self._began = receiver.loop.time()
        self._is_storing = False

    # What happens to the connection.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        if refusal := self._receiver.admit(self, peer_of(transport)):
            transport.write(f"{refusal}\r\n".encode())
            transport.close()
            return
        self._taken_in = True
        super().connection_made(transport)
        assert self._handler_coroutine is not None
        self._handler_coroutine.add_done_callback(_ended)

    def connection_lost(self, error: Exception | None) -> None:
        if self._taken_in:
            self._receiver.forget(self)
            super().connection_lost(error)

    def eof_received(self) -> bool | None:
        """A client may send all that it has, close its side, and wait for the answers."""
        if self._taken_in:
            self._reader.feed_eof()
        return self._taken_in

    def data_received(self, data: bytes) -> None:
        if self._taken_in:
            super().data_received(data)

    def _timeout_cb(self) -> None:
        if self._is_storing:  # which has a bound of its own
            self._reset_timeout()
        else:
            self.dismiss(_TOO_SLOW)

    def dismiss(self, answer: str) -> None:
        """Say this, and close the connection. What is being stored is stored and acknowledged before."""
        if not self._is_storing and isinstance(self.transport, asyncio.Transport):
            self.transport.write(f"{answer}\r\n".encode())
            self.transport.close()
            # A client that reads nothing would keep it open.
            self._receiver.loop.call_later(bounds.LINGER_SECONDS, self.transport.abort)

    async def handle_exception(self, error: Exception) -> str:
        if isinstance(error, asyncio.IncompleteReadError):
            assert self._handler_coroutine is not None
            self.dismiss(_GONE)
            self._handler_coroutine.cancel()
            return _GONE
        _log.error("a command failed", exc_info=error)
        return "451 4.3.0 Something went wrong here; try again later"

    async def push(self, status: AnyStr) -> None:
        """Answers of aiosmtpd have no enhanced code (RFC 2034): they get the general one of their class. One of them
        repeats what was sent."""
        text = status if isinstance(status, str) else status.decode()
        if text.startswith(_REPEATS):
            text = _NO_COMMAND
        if (text in ("250 OK", "221 Bye") or text[:1] in ("4", "5")) and (bare := _BARE.fullmatch(text)):
            text = f"{bare[1]} {text[0]}.{'0' if text[0] == '2' else '5'}.0 {bare[2]}"
        await super().push(text)

    # What aiosmtpd asks of whoever handles mail.

    def _create_envelope(self) -> RecipientEnvelope:
        return RecipientEnvelope()

    async def handle_EHLO(
        self, server: SMTP, session: object, envelope: object, host: str, responses: list[str]
    ) -> list[str]:
        assert self.session is not None
        self.session.host_name = host
        return [*responses[:-1], "250-PIPELINING", "250 ENHANCEDSTATUSCODES"]

    async def handle_MAIL(
        self, server: SMTP, session: object, envelope: RecipientEnvelope, address: str, options: Sequence[str]
    ) -> str:
        if self._receiver.loop.time() - self._began > bounds.CONNECTION_SECONDS:
            self._receiver.loop.call_soon(self.dismiss, _TOO_SLOW)
            return "451 4.3.2 This connection is old; begin another one"
        envelope.mail_from = address
        return "250 2.1.0 OK"

    async def handle_RCPT(
        self, server: SMTP, session: object, envelope: RecipientEnvelope, address: str, options: Sequence[str]
    ) -> str:
        to = recipient(self._receiver.settings, address)
        if to is None:
            self._receiver.count("unknown")
            return _UNKNOWN
        if len(envelope.to) == bounds.MOST_RECIPIENTS:
            return "452 4.5.3 Too many recipients"
        envelope.rcpt_tos.append(address)
        envelope.to.append(to)
        return "250 2.1.5 OK"

    async def smtp_HELP(self, arg: str) -> None:
        await self.push("214 2.0.0 RFC 5321 and RFC 2033")

    async def smtp_VRFY(self, arg: str) -> None:
        await self.push("252 2.5.2 Send a mail, and see")

    def _getaddr(self, arg: str) -> tuple[str | None, str | None]:
        try:
            return super()._getaddr(arg)
        except Exception:  # noqa: BLE001  (the standard library's parser lets out whatever it likes)
            return None, None

    # The mail itself.

    async def smtp_DATA(self, arg: str) -> None:
        if await self.check_helo_needed():
            return
        envelope = self.envelope
        assert isinstance(envelope, RecipientEnvelope)
        if not envelope.to:
            await self.push("503 5.5.1 No recipient was accepted")
        elif arg:
            await self.push("501 5.5.4 DATA stands alone")
        else:
            self._reset_timeout(bounds.DATA_SECONDS)
            await self.push("354 End the mail with a dot on a line of its own")
            raw = await self._message()
            self.envelope = self._create_envelope()
            await self._ingest(envelope, raw)

    async def _ingest(self, envelope: RecipientEnvelope, raw: bytes | None) -> None:
        if raw is None:
            self._receiver.count("too_large")
            answers = [_TOO_LARGE for _ in envelope.to]
        else:
            sender = (envelope.mail_from or "").removeprefix("<").removesuffix(">")
            self._is_storing = True
            try:
                answers = await self._receiver.ingest(ReceivedMail(tuple(envelope.to), sender, raw, self.answers_each))
            finally:
                self._is_storing = False
        self._reset_timeout()
        for answer in answers if self.answers_each else answers[:1]:
            await self.push(answer)
        if self._receiver.is_stopping:
            self.dismiss(STOPPING)

    async def _message(self) -> bytes | None:
        """The bytes of a mail without what the protocol adds; None when there are too many of them."""
        data = bytearray()
        # Until something else than dots and line ends came, the end could begin in what was read already.
        while not data or data[-1] in _LEADING:
            data += await self._reader.readexactly(1)
            if data.endswith(_END) or data == _DOT:
                return _unstuffed(data)
            if len(data) > _MOST_LEADING:
                self.dismiss(_NO_MAIL)
                raise asyncio.CancelledError  # as aiosmtpd ends a connection
        too_large = False
        while True:
            try:
                data += await self._reader.readuntil(_END)
                return None if too_large or len(data) > bounds.LARGEST + len(_DOT) else _unstuffed(data)
            except asyncio.LimitOverrunError as more:
                data += await self._reader.read(more.consumed)
                if too_large or len(data) > bounds.LARGEST:
                    too_large = True
                    data.clear()


class LmtpConnection(Connection, LMTP):
    """The same by LMTP (RFC 2033): each recipient has an answer of its own."""

    answers_each = True


def peer_of(transport: asyncio.BaseTransport) -> str:
    """Whom a connection is counted for: an IP address; all that come by a unix socket are one."""
    peer = transport.get_extra_info("peername")
    return str(peer[0]) if isinstance(peer, tuple) else "unix"


def _unstuffed(data: bytearray) -> bytes:
    """Without the dot at the end, and without the one before a line that begins with one (RFC 5321, 4.5.2)."""
    return bytes(data[1 : -len(_DOT)] if data.startswith(b"..") else data[: -len(_DOT)]).replace(b"\r\n.", b"\r\n")


def _ended(task: asyncio.Task[None]) -> None:
    """A client that is gone is no news."""
    if not task.cancelled():
        task.exception()
