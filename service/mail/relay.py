"""Send a message to the relay of `NOVALUNA_SMTP_URL` (RFC 5321), and say of a failure whether it may pass.

A URL is `smtp://`, `smtp+starttls://` or `smtps://`, with `user:password@` percent-encoded, a host and a port (25, 587
and 465 by default). Certificates are verified with the system's authorities; it is a failure if STARTTLS is not
offered.
"""

from __future__ import annotations

import re
import smtplib
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import parseaddr
from functools import cache, partial
from urllib.parse import unquote, urlsplit

from service.logs import reason
from service.mail.failures import RelayUnavailable, TransientFailure, Unacknowledged
from service.mail.message import to_bytes
from service.mail.smtp_replies import LOGIN, Refusal, reply

TIMEOUT = 30.0
"""Seconds that the relay may take for each step of the conversation."""

_FOR_CONTENT = 4
"""The factor by which the relay may take longer to acknowledge the content, which it scans first.

If we give up and the relay accepts the mail after that, the mail is sent twice (RFC 5321, 4.5.3.2.6).
"""

_FIRST_DOT = re.compile(rb"^\.", re.MULTILINE)

_PORTS = {"smtp": 25, "smtp+starttls": 587, "smtps": 465}
_MISCONFIGURED = (smtplib.SMTPNotSupportedError, ssl.SSLError, socket.gaierror)
_Step = tuple[str, int, Callable[[], tuple[int, bytes]]]
"""A command, the first digit of the reply that lets the next one follow, and how it is sent."""

_RIGHT = "an SMTP URL is smtp://, smtp+starttls:// or smtps://, then user:password@ if need be, and host:port"


@dataclass(frozen=True, slots=True)
class Relay:
    """An SMTP relay and its login.

    Attributes:
        context: verifies certificates; None: the default one, created when needed.
    """

    security: str
    host: str
    port: int
    user: str | None = None
    password: str | None = None
    timeout: float = TIMEOUT
    context: ssl.SSLContext | None = None

    @property
    def name(self) -> str:
        """The name for logs and metrics: host and port."""
        return f"{self.host}:{self.port}"

    @classmethod
    def from_url(cls, url: str, *, timeout: float = TIMEOUT, context: ssl.SSLContext | None = None) -> Relay:
        """Return the relay that a URL names.

        Raises:
            ValueError: the URL is wrong; the text never repeats it, since it may contain a password.
        """
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            raise ValueError(_RIGHT) from None
        if parts.scheme not in _PORTS or not parts.hostname or parts.path.strip("/") or parts.query or parts.fragment:
            raise ValueError(_RIGHT)
        return cls(
            security=parts.scheme,
            host=parts.hostname,
            port=port or _PORTS[parts.scheme],
            user=None if parts.username is None else unquote(parts.username),
            password=None if parts.password is None else unquote(parts.password),
            timeout=timeout,
            context=context,
        )

    def deliver(
        self, message: EmailMessage, return_path: str | None = None, last_look: Callable[[], bool] | None = None
    ) -> bool:
        """Send a message to the relay over a connection of its own; return True once the relay has acknowledged it.

        It returns and raises as `hand_over` does. All other failures (no connection, a time-out, a certificate, a wrong
        password) are TransientFailure, since waiting or the operator can fix them. What happens after the
        acknowledgment, as in QUIT, does not matter.
        """
        with failures():
            connection = self.connect()
            try:
                taken = self.hand_over(connection, message, return_path, last_look)
                hang_up(connection)
            finally:
                connection.close()
        return taken

    def connect(self) -> smtplib.SMTP:
        """Open a connection, greeted, encrypted and authenticated as the URL asks for.

        Raises:
            RelayUnavailable: that failed.
        """
        with failures(RelayUnavailable):
            return self._connect()

    def _connect(self) -> smtplib.SMTP:
        connection: smtplib.SMTP
        if self.security == "smtps":
            connection = smtplib.SMTP_SSL(self.host, self.port, timeout=self.timeout, context=self._context())
        else:
            connection = smtplib.SMTP(self.host, self.port, timeout=self.timeout)
        try:
            if self.security == "smtp+starttls":
                connection.starttls(context=self._context())
            if self.user is not None:
                connection.login(self.user, self.password or "")
        except BaseException:
            connection.close()
            raise
        return connection

    def reason_against(self, sender: str) -> str | None:
        """Return why the relay can't be reached, or would take no mail from this sender; None: it would take one.

        No mail is sent. The sender is the recipient, too: many relays say only then what they have against all mails
        from here. What one says of this recipient alone does not matter.
        """
        try:
            with failures():
                connection = self.connect()
                try:
                    connection.ehlo_or_helo_if_needed()
                    refusal = _refusal(("MAIL", 2, partial(connection.mail, sender)))
                    if refusal is None:
                        refusal = _refusal(("RCPT", 2, partial(connection.rcpt, sender)))
                        if refusal is not None and not isinstance(refusal.failure(), RelayUnavailable):
                            refusal = None
                    connection.rset()
                    hang_up(connection)
                finally:
                    connection.close()
        except TransientFailure as failure:
            return str(failure)
        return None if refusal is None else str(refusal.failure())

    def hand_over(
        self,
        connection: smtplib.SMTP,
        message: EmailMessage,
        return_path: str | None = None,
        last_look: Callable[[], bool] | None = None,
    ) -> bool:
        """Send a message to the relay over an open connection; return True once the relay has acknowledged it.

        Args:
            connection: a connection from `connect`.
            message: the message.
            return_path: where a delivery report is returned to; None: to the message's sender, which is also used if
                the relay accepts mail from no other.
            last_look: called just before DATA, after the relay has taken its time for everything else; says whether the
                message is still to be sent. If not, the transaction is reset, and False is returned.

        Raises:
            PermanentFailure: the relay replied to MAIL, RCPT or DATA with a 5xx that is about this mail.
            RelayUnavailable: the conversation broke off before the content, or the relay refuses every mail from here.
            Unacknowledged: it broke off after the content.
            DomainOverloaded: the recipient's domain asks for fewer mails.
            TransientFailure: any other reply that is not positive.
        """
        sender = parseaddr(str(message["From"]))[1]
        recipient = parseaddr(str(message["To"]))[1]
        offer = partial(self._offer, connection, recipient=recipient, content=to_bytes(message), last_look=last_look)
        result = offer(return_path or sender)
        if isinstance(result, Refusal) and return_path not in (None, sender) and result.is_of_sender:
            connection.rset()
            result = offer(sender)
        if isinstance(result, Refusal):
            raise result.failure()
        return result

    def _offer(
        self,
        connection: smtplib.SMTP,
        sender: str,
        *,
        recipient: str,
        content: bytes,
        last_look: Callable[[], bool] | None,
    ) -> Refusal | bool:
        """Run one transaction; return True if the relay has the mail, False if it is not to be sent, or a refusal."""
        connection.ehlo_or_helo_if_needed()
        size = [f"size={len(content)}"] if connection.has_extn("size") else []
        offered: tuple[_Step, ...] = (
            ("MAIL", 2, partial(connection.mail, sender, size)),
            ("RCPT", 2, partial(connection.rcpt, recipient)),
        )
        announced: _Step = ("DATA", 3, partial(connection.docmd, "DATA"))
        given: _Step = ("DATA", 2, partial(self._give, connection, content))
        with failures(RelayUnavailable):
            if (refusal := _refusal(*offered)) is not None:
                return refusal
        if last_look is not None and not last_look():
            connection.rset()
            return False
        with failures(RelayUnavailable):
            if (refusal := _refusal(announced)) is not None:
                return refusal
        with failures(Unacknowledged):
            refusal = _refusal(given)
        return True if refusal is None else refusal

    def _give(self, connection: smtplib.SMTP, content: bytes) -> tuple[int, bytes]:
        """Send the content, doubling a dot at the beginning of a line (RFC 5321, 4.5.2), and return the reply."""
        connection.send(_FIRST_DOT.sub(b"..", content) + b".\r\n")
        assert connection.sock is not None, "sending would have failed"
        connection.sock.settimeout(self.timeout * _FOR_CONTENT)
        answer = connection.getreply()
        if connection.sock is not None:
            connection.sock.settimeout(self.timeout)
        return answer

    def _context(self) -> ssl.SSLContext:
        return self.context or _default_context()


def _refusal(*steps: _Step) -> Refusal | None:
    """Run steps of a transaction, and return the first reply that is not positive.

    The first digit of a reply says whether it is (RFC 5321, 4.2.1). The library's `sendmail` accepts 250 only, so a
    mail that was acknowledged with another code would be sent again.
    """
    for command, yes, ask in steps:
        code, words = ask()
        if code // 100 != yes:
            return Refusal(command, code, _read(words))
    return None


@contextmanager
def failures(kind: type[TransientFailure] = TransientFailure) -> Iterator[None]:
    """Turn every error of the connection or the conversation into a TransientFailure of this kind."""
    try:
        yield
    except smtplib.SMTPAuthenticationError as error:
        raise kind(f"the relay answered {_told(error)}", LOGIN) from None
    except smtplib.SMTPResponseException as error:
        raise kind(f"the relay answered {_told(error)}") from None
    except (OSError, smtplib.SMTPException, UnicodeError) as error:  # of a host that is no name
        mend = LOGIN if isinstance(error, _MISCONFIGURED) and not isinstance(error, ssl.SSLEOFError) else None
        raise kind(f"the conversation with the relay broke off: {reason(error)}", mend) from None


def hang_up(connection: smtplib.SMTP) -> None:
    """Say QUIT and close the connection; never fails."""
    with suppress(OSError, smtplib.SMTPException):
        connection.quit()
    connection.close()


@cache
def _default_context() -> ssl.SSLContext:
    """Return the default context, created once: reading the system's authorities takes longer than sending a mail."""
    return ssl.create_default_context()


def _told(error: smtplib.SMTPResponseException) -> str:
    return reply(error.smtp_code, _read(error.smtp_error))


def _read(words: bytes | str) -> str:
    return words.decode("utf-8", "replace") if isinstance(words, bytes) else words
