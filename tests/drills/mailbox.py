"""The mails that a service under a drill has sent."""

import re
from collections import Counter
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Protocol

from service.mail.maildir import address_of

_CODE = re.compile(r"^([0-9A-Z]{5}-[0-9A-Z]{5})\r?$", re.MULTILINE)


class Mailbox(Protocol):
    """All mails that were sent."""

    def mails_by_name(self) -> Counter[str]:
        """Return the keys of all mails (`message_id`), with how many mails had each."""

    def codes(self) -> dict[str, str]:
        """Return the last code that was mailed to each address."""


class MaildirMailbox:
    """The Maildir of a data folder; each mail is read only once."""

    def __init__(self, data: Path) -> None:
        self._new = data / "mail" / "new"
        self._read: set[str] = set()
        self._names: Counter[str] = Counter()
        self._codes: dict[str, str] = {}

    def mails_by_name(self) -> Counter[str]:
        self._read_on()
        return self._names.copy()

    def codes(self) -> dict[str, str]:
        self._read_on()
        return self._codes

    def _read_on(self) -> None:
        for path in self._new.iterdir() if self._new.exists() else ():
            if path.name not in self._read:
                self._read.add(path.name)
                message = message_from_bytes(path.read_bytes(), _class=EmailMessage, policy=policy.default)
                self._names[message_id(message)] += 1
                self._codes.update(code_in(message))


def message_id(message: EmailMessage) -> str:
    """Return the key of a mail: its Message-ID without <, without its history, and without @…>."""
    return str(message["Message-ID"]).strip("<>").rpartition("@")[0].partition("+")[0]


def code_in(message: EmailMessage) -> dict[str, str]:
    """Return the code in a mail, if it has one, by the address that it is for."""
    body = message.get_body(("plain",))
    found = _CODE.search(body.get_content()) if body else None
    return {address_of(message): found[1]} if found else {}
