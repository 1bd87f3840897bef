"""The mails as they arrive, read from the Maildir as a mail program does."""

import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parseaddr
from functools import cached_property
from pathlib import Path

from demo.errors import StepFailed
from demo.people import Person

_SECONDS = 60.0
_LOOK_EVERY = 0.01
_CODE = re.compile(r"^[0-9A-Z]{5}-[0-9A-Z]{5}$", re.MULTILINE)
_INVITATION = re.compile(r"^([\w-]{43})\s*\Z", re.MULTILINE)  # the last line
_MOVE = re.compile(r"^\{.*\}$", re.MULTILINE)
_PAGE = re.compile(r"^https?://\S+/games/\w+\?link=\S+$", re.MULTILINE)


@dataclass(frozen=True)
class Mail:
    """A mail that was delivered."""

    to: str
    subject: str
    text: str

    @cached_property
    def code(self) -> str | None:
        """The sign-in code, which stands alone on a line."""
        return _first(_CODE, self.text)

    @cached_property
    def invitation(self) -> str | None:
        """The secret of an invitation."""
        return _first(_INVITATION, self.text)

    @cached_property
    def page(self) -> str | None:
        """The reader's own link to the table's page."""
        return _first(_PAGE, self.text)

    @cached_property
    def version(self) -> int | None:
        """The version of the game at which a turn mail asks for a move."""
        body = _first(_MOVE, self.text)
        return None if body is None else json.loads(body).get("expected_version")


class Postbox:
    """All mails that the service delivers into a Maildir.

    Attributes:
        mails: the mails read so far, oldest first.
    """

    def __init__(self, maildir: Path, show: Callable[[Mail], None]) -> None:
        """Open the Maildir; `show` is called with each mail as it is found."""
        self.mails: list[Mail] = []
        self._new = maildir / "new"
        self._show = show
        self._known: set[str] = set()

    def await_mail(self, person: Person, what: str, is_it: Callable[[Mail], object]) -> Mail:
        """Return the first mail to this person for which `is_it` is true, waiting for it if need be.

        Raises:
            StepFailed: it does not arrive within a minute; the text calls it `what`.
        """
        deadline = time.monotonic() + _SECONDS
        while True:
            self.look()
            for mail in self.mails:
                if mail.to == person.email and is_it(mail):
                    return mail
            if time.monotonic() > deadline:
                raise StepFailed(f"{what} for {person.name} did not come to {person.email} within {_SECONDS:.0f} s")
            time.sleep(_LOOK_EVERY)  # mail may arrive at any time

    def look(self) -> None:
        """Read what has arrived since the last call."""
        if not self._new.is_dir():
            return
        new = [path for path in self._new.iterdir() if path.name not in self._known]
        for path in sorted(new, key=lambda path: path.stat().st_mtime_ns):
            self._known.add(path.name)
            mail = _read(path)
            self.mails.append(mail)
            self._show(mail)


def _read(path: Path) -> Mail:
    message = message_from_bytes(path.read_bytes(), _class=EmailMessage, policy=policy.default)
    part = message.get_body(("plain",))
    if part is None:
        raise StepFailed(f"the mail in {path.name} has no text part")
    text = str(part.get_content()).replace("\r\n", "\n")
    return Mail(parseaddr(str(message["To"]))[1], str(message["Subject"]), text)


def _first(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.search(text)
    return None if found is None else found[found.lastindex or 0]
