"""A relay like a mail server: it brings a mail by LMTP, reads an answer for each recipient, and remembers nothing."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from types import TracebackType
from typing import NamedTuple, Self


class Reply(NamedTuple):
    """An answer: its code, and its whole text."""

    code: int
    text: str


class Gone(Exception):
    """The connection ended before an answer came."""


class LmtpRelay:
    """A connection by LMTP, or with another greeting by SMTP."""

    def __init__(self, port: int, greeting: str = "LHLO", timeout: float = 60.0) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=timeout)
        self._lines = self.socket.makefile("rb")
        self._each = greeting == "LHLO"
        self.welcome = self.heard()
        self.offers = self.say(f"{greeting} relay.example.org").text

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lines.close()
        self.socket.close()

    def heard(self) -> Reply:
        """Read the next answer.

        Raises:
            Gone: the other side closed the connection.
        """
        said = b""
        while True:
            try:
                line = self._lines.readline()
            except ConnectionError:
                raise Gone from None
            if not line.endswith(b"\r\n"):
                raise Gone
            said += line[4:]
            if line[3:4] != b"-":
                return Reply(int(line[:3]), said.decode().strip())

    def say(self, line: str) -> Reply:
        """Send a command, and return the answer."""
        try:
            self.socket.sendall(line.encode("utf-8", "surrogateescape") + b"\r\n")
        except ConnectionError:
            raise Gone from None
        return self.heard()

    def bring(self, sender: str, recipients: Sequence[str], raw: bytes) -> list[Reply]:
        """Bring a mail, and return the last answer for each recipient; a refused recipient hears no more."""
        began = self.say(f"MAIL FROM:<{sender}>")
        if began.code != 250:
            return [began for _ in recipients]
        replies = [self.say(f"RCPT TO:<{recipient}>") for recipient in recipients]
        taken = [place for place, reply in enumerate(replies) if reply.code == 250]
        if not taken:
            self.say("RSET")
            return replies
        if (ready := self.say("DATA")).code != 354:
            return [ready for _ in recipients]
        self.send(raw)
        for place in taken if self._each else taken[:1]:
            replies[place] = self.heard()
        return (
            replies
            if self._each
            else [replies[taken[0]] if place in taken else reply for place, reply in enumerate(replies)]
        )

    def send(self, raw: bytes) -> None:
        """Send what follows DATA, with the mark of its end."""
        stuffed = (b"." if raw.startswith(b".") else b"") + raw.replace(b"\r\n.", b"\r\n..")
        self.socket.sendall(stuffed + (b"" if raw.endswith(b"\r\n") or not raw else b"\r\n") + b".\r\n")
