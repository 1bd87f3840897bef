"""Hands a message to the relay of `NOVALUNA_SMTP_URL` (RFC 5321), and says of a failure whether it may pass.

A URL is `smtp://`, `smtp+starttls://` or `smtps://`, with `user:password@` percent-encoded, a host and a port (25, 587
and 465 if none). Certificates are verified with the system's authorities; STARTTLS that is not offered is a failure.
"""

from __future__ import annotations

import re
import smtplib
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import parseaddr
from functools import cache
from urllib.parse import unquote, urlsplit

from service.mail.failures import PermanentFailure, TransientFailure
from service.mail.message import to_bytes

TIMEOUT = 30.0
"""Seconds that the relay may take for each step of the conversation."""

_PORTS = {"smtp": 25, "smtp+starttls": 587, "smtps": 465}
_RIGHT = "an SMTP URL is smtp://, smtp+starttls:// or smtps://, then user:password@ if need be, and host:port"
_SENDER = re.compile(rb"\b5\.(7\.\d|1\.[78])|sender", re.IGNORECASE)
"""By this an answer to RCPT is one about the sender: many relays wait so long with it."""

_SEND_AS = re.compile(r"send ?as|address is not verified", re.IGNORECASE)
"""By this an answer to the content is one: there are large providers that look at the sender last."""

_STATUS = re.compile(r"5\.\d{1,3}\.\d{1,3}(?![\d.])")
_ADDRESS = re.compile(r"<?[^\s<>@]+@[^\s<>@]+>?")


@dataclass(frozen=True, slots=True)
class Relay:
    """A relay, and how to speak to it. `context` verifies certificates; None: the default one, made when needed."""

    security: str
    host: str
    port: int
    user: str | None = None
    password: str | None = None
    timeout: float = TIMEOUT
    context: ssl.SSLContext | None = None

    @classmethod
    def from_url(cls, url: str, *, timeout: float = TIMEOUT, context: ssl.SSLContext | None = None) -> Relay:
        """The relay that a URL names; raises ValueError (which never repeats the URL: it may hold a password)."""
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

    def deliver(self, message: EmailMessage, return_path: str | None = None) -> None:
        """Give one message to the relay, in a conversation of its own; returns once it has acknowledged it.

        Raises as `hand_over` does; whatever else goes wrong (no connection, a time-out, a certificate, a wrong password)
        is TransientFailure: waiting or the host can mend it. What happens after the acknowledgement, as in QUIT, is
        nobody's concern.
        """
        with failures():
            line = self.connect()
            try:
                self.hand_over(line, message, return_path)
                hang_up(line)
            finally:
                line.close()

    def connect(self) -> smtplib.SMTP:
        """An open, greeted, encrypted and authenticated connection, as the URL asks for."""
        line: smtplib.SMTP
        if self.security == "smtps":
            line = smtplib.SMTP_SSL(self.host, self.port, timeout=self.timeout, context=self._context())
        else:
            line = smtplib.SMTP(self.host, self.port, timeout=self.timeout)
        try:
            if self.security == "smtp+starttls":
                line.starttls(context=self._context())
            if self.user is not None:
                line.login(self.user, self.password or "")
        except BaseException:
            line.close()
            raise
        return line

    def hand_over(self, line: smtplib.SMTP, message: EmailMessage, return_path: str | None = None) -> None:
        """Give one message to the relay on an open connection; returns once it has acknowledged it.

        What can't be delivered later comes back to `return_path`, None: to the message's sender, who is used as well
        where the relay takes mail from no other. Raises PermanentFailure where the relay answers MAIL, RCPT or DATA with
        5xx, TransientFailure where with 4xx.
        """
        sender = parseaddr(str(message["From"]))[1]
        recipient = parseaddr(str(message["To"]))[1]
        content = to_bytes(message)
        try:
            try:
                line.sendmail(return_path or sender, [recipient], content)
            except (smtplib.SMTPSenderRefused, smtplib.SMTPRecipientsRefused, smtplib.SMTPDataError) as error:
                if return_path in (None, sender) or not _refuses_sender(error):
                    raise
                line.sendmail(sender, [recipient], content)
        except smtplib.SMTPRecipientsRefused as error:
            raise _refused("RCPT", *error.recipients[recipient]) from None
        except smtplib.SMTPSenderRefused as error:
            raise _refused("MAIL", error.smtp_code, error.smtp_error) from None
        except smtplib.SMTPDataError as error:
            raise _refused("DATA", error.smtp_code, error.smtp_error) from None

    def _context(self) -> ssl.SSLContext:
        return self.context or _default_context()


@contextmanager
def failures() -> Iterator[None]:
    """Whatever goes wrong with the connection or the conversation leaves this as TransientFailure."""
    try:
        yield
    except smtplib.SMTPResponseException as error:
        raise TransientFailure(f"the relay answered {_reply(error.smtp_code, error.smtp_error)}") from None
    except (OSError, smtplib.SMTPException) as error:
        raise TransientFailure(f"the conversation with the relay broke off: {type(error).__name__}") from None


def hang_up(line: smtplib.SMTP) -> None:
    """Take leave of the relay and close the connection; never fails."""
    with suppress(OSError, smtplib.SMTPException):
        line.quit()
    line.close()


@cache
def _default_context() -> ssl.SSLContext:
    """Made once: reading all of the system's authorities takes longer than the rest of a mail."""
    return ssl.create_default_context()


def _refused(command: str, code: int, answer: bytes | str) -> PermanentFailure | TransientFailure:
    said = f"the relay answered {command} with {_reply(code, answer)}"
    if not _is_for_good(code):
        return TransientFailure(said)
    status = _STATUS.match(answer.decode("ascii", "replace") if isinstance(answer, bytes) else answer)
    return PermanentFailure(said, status[0] if status and command == "RCPT" else None)


def _is_for_good(code: int) -> bool:
    return 500 <= code <= 599


def _refuses_sender(error: smtplib.SMTPSenderRefused | smtplib.SMTPRecipientsRefused | smtplib.SMTPDataError) -> bool:
    if isinstance(error, smtplib.SMTPDataError):
        return _is_for_good(error.smtp_code) and _SEND_AS.search(_reply(error.smtp_code, error.smtp_error)) is not None
    if isinstance(error, smtplib.SMTPSenderRefused):
        return _is_for_good(error.smtp_code)
    return any(_is_for_good(code) and _SENDER.search(answer) for code, answer in error.recipients.values())


def _reply(code: int, answer: bytes | str) -> str:
    """A relay's answer for the log: one line, without the addresses that relays like to repeat."""
    words = answer.decode("ascii", "replace") if isinstance(answer, bytes) else answer
    return f"{code} {without_addresses(words)}"


def without_addresses(words: str, most: int = 200) -> str:
    """What a mail server says as one line of so many characters at most, without the addresses in it."""
    printable = "".join(character if character.isprintable() else " " for character in words[: 5 * most])
    return _ADDRESS.sub("<address>", " ".join(printable.split()))[:most]
