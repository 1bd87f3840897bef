"""Where a mail comes back to when it can't be delivered: a sender of its own for each mail (VERP).

A report of a failure may say little of the mail that it is about; the address that it came back to says which one it was.
That is the sender's address with a reference behind a plus sign, so what comes back arrives in the sender's mailbox. The
reference follows from the mail's key and the server's secret key: nobody can make up that a mail of somebody else came
back. It is the same in upper and lower case, which some mail servers change.
"""

from __future__ import annotations

import base64
import re
from email.utils import parseaddr

from service.access.secrets import Keys, digest

_MARK = "+bounce-"
_BYTES = 15
_LONGEST = 64
_ADDRESS = re.compile(r".\+bounce-([a-z2-7]{24})@", re.IGNORECASE)


def references(keys: Keys, key: str) -> tuple[str, ...]:
    """The references of a mail by its key (`Envelope.key`), 24 characters each: one for each secret key, the first is
    that which mails are sent with now."""
    return tuple(base64.b32encode(digest(secret, "return-path", key)[:_BYTES]).decode().lower() for secret in keys)


def return_path(sender: str, reference: str) -> str:
    """The address that a mail of this sender (the value of a From header) with this reference comes back to.

    The sender's own where its part before the @ is too long to have anything added (64 bytes in all).
    """
    address = parseaddr(sender)[1]
    local, _, domain = address.rpartition("@")
    marked = f"{local}{_MARK}{reference}"
    return f"{marked}@{domain}" if len(marked) <= _LONGEST else address


def reference_of(address: str) -> str | None:
    """The reference in an address that a mail came back to, in lower case; None when there is none in it."""
    found = _ADDRESS.search(address)
    return found[1].lower() if found else None
