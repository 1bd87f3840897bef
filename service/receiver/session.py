"""Serve one connection: the limits that aiosmtpd lacks, LMTP's reply for each recipient, and nothing more than needed.

aiosmtpd reads commands and replies to them. What follows DATA is read here, in chunks in place of lines, because four
megabytes of empty lines would become two million objects. Nothing that a client sent is repeated to it or logged.
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
from service.receiver import limits
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
_TOO_LARGE = f"552 5.3.4 A mail may have {limits.LARGEST} bytes at most; an answer needs no attachments"
_NO_COMMAND = "500 5.5.1 There is no such command"
_NO_MAIL = "554 5.6.0 This is no mail"
_UNKNOWN = "550 5.1.1 There is no such address here"

logging.getLogger("mail.log").setLevel(logging.CRITICAL)  # aiosmtpd logs every command, with the addresses in it

_log = structlog.get_logger(__name__)


class RecipientEnvelope(Envelope):
    """An envelope of aiosmtpd, together with the parsed recipients."""

    def __init__(self) -> None:
        super().__init__()
        self.to: list[Recipient] = []


class SmtpConnection(SMTP):
    """A connection by SMTP (RFC 5321)."""

    line_length_limit = limits.READ_AT_ONCE
    answers_each = False

    def __init__(self, receiver: Receiver) -> None:
        super().__init__(
            self,
            data_size_limit=limits.LARGEST,
            enable_SMTPUTF8=True,
            hostname=receiver.name,
            ident="Nova Luna by post",
            timeout=limits.IDLE_SECONDS,
            command_call_limit=limits.COMMANDS,
            loop=receiver.loop,
        )
        self._receiver = receiver
        self._taken_in = False
        self._began = receiver.loop.time()
        self._is_storing = False

    # Events of the connection.

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
        """Keep the connection open: a client may send everything, close its side, and wait for the replies."""
        if self._taken_in:
            self._reader.feed_eof()
        return self._taken_in

    def data_received(self, data: bytes) -> None:
        if self._taken_in:
            super().data_received(data)

    def _timeout_cb(self) -> None:
        if self._is_storing:  # storing has a time-out of its own
            self._reset_timeout()
        else:
            self.dismiss(_TOO_SLOW)

    def dismiss(self, answer: str) -> None:
        """Send this reply, and close the connection. A mail that is being stored is stored and acknowledged first."""
        if not self._is_storing and isinstance(self.transport, asyncio.Transport):
            self.transport.write(f"{answer}\r\n".encode())
            self.transport.close()
            # A client that reads nothing would keep the connection open.
            self._receiver.loop.call_later(limits.LINGER_SECONDS, self.transport.abort)

    async def handle_exception(self, error: Exception) -> str:
        if isinstance(error, asyncio.IncompleteReadError):
            assert self._handler_coroutine is not None
            self.dismiss(_GONE)
            self._handler_coroutine.cancel()
            return _GONE
        _log.error("a command failed", exc_info=error)
        return "451 4.3.0 Something went wrong here; try again later"

    async def push(self, status: AnyStr) -> None:
        """Send a reply, adding the general enhanced code of its class (RFC 2034) where aiosmtpd gives none.

        One reply of aiosmtpd repeats what the client sent, and is replaced.
        """
        text = status if isinstance(status, str) else status.decode()
        if text.startswith(_REPEATS):
            text = _NO_COMMAND
        if (text in ("250 OK", "221 Bye") or text[:1] in ("4", "5")) and (bare := _BARE.fullmatch(text)):
            text = f"{bare[1]} {text[0]}.{'0' if text[0] == '2' else '5'}.0 {bare[2]}"
        await super().push(text)

    # Hooks of aiosmtpd's mail handler.

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
        if self._receiver.loop.time() - self._began > limits.CONNECTION_SECONDS:
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
        if len(envelope.to) == limits.MOST_RECIPIENTS:
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
        except Exception:  # noqa: BLE001  (the standard library's parser may raise anything)
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
            self._reset_timeout(limits.DATA_SECONDS)
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
        """Return the bytes of a mail without what the protocol adds, or None if there are too many."""
        data = bytearray()
        # As long as only dots and line ends have come, the end mark may begin in what was already read.
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
                return None if too_large or len(data) > limits.LARGEST + len(_DOT) else _unstuffed(data)
            except asyncio.LimitOverrunError as more:
                data += await self._reader.read(more.consumed)
                if too_large or len(data) > limits.LARGEST:
                    too_large = True
                    data.clear()


class LmtpConnection(SmtpConnection, LMTP):
    """A connection by LMTP (RFC 2033): each recipient has its own reply."""

    answers_each = True


def peer_of(transport: asyncio.BaseTransport) -> str:
    """Return the peer that a connection is counted for: an IP address, or one name for all Unix sockets."""
    peer = transport.get_extra_info("peername")
    return str(peer[0]) if isinstance(peer, tuple) else "unix"


def _unstuffed(data: bytearray) -> bytes:
    """Remove the dot at the end, and the one in front of a line that begins with one (RFC 5321, 4.5.2)."""
    return bytes(data[1 : -len(_DOT)] if data.startswith(b"..") else data[: -len(_DOT)]).replace(b"\r\n.", b"\r\n")


def _ended(task: asyncio.Task[None]) -> None:
    """Retrieve the exception of a finished connection, so that asyncio does not report a client that is gone."""
    if not task.cancelled():
        task.exception()
