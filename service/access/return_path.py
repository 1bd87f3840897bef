"""Where a mail comes back to when it can't be delivered: a sender of its own for each mail (VERP).

A report of a failure may say little of the mail that it is about; the address that it came back to says which one it was.
That is the sender's address with a reference behind a plus sign, so what comes back arrives in the sender's mailbox. The
reference follows from the mail's key and the server's secret key: nobody can make up that a mail of somebody else came
back. Its last bytes prove by themselves that it was made here, so that one which is made up is refused as soon as it
arrives. It is the same in upper and lower case, which some mail servers change.
"""

from __future__ import annotations

import base64
import hmac
import re
from email.utils import parseaddr

from service.access.secrets import Keys, digest

_MARK = "+bounce-"
_NAME_BYTES, _PROOF_BYTES = 9, 6
_LONGEST = 64
_ADDRESS = re.compile(r".\+bounce-([a-z2-7]{24})@", re.IGNORECASE)


def references(keys: Keys, key: str) -> tuple[str, ...]:
    """The references of a mail by its key (`Envelope.key`), 24 characters each: one for each secret key, the first is
    that which mails are sent with now."""
    names = ((secret, digest(secret, "return-path", key)[:_NAME_BYTES]) for secret in keys)
    return tuple(base64.b32encode(name + _proof(secret, name)).decode().lower() for secret, name in names)


def is_proven(keys: Keys, reference: str) -> bool:
    """Return whether a reference of 24 characters was made with one of these keys. Those of mails that left before
    references had a proof were not: they are known by the ledger alone."""
    given = base64.b32decode(reference.upper())
    name, proof = given[:_NAME_BYTES], given[_NAME_BYTES:]
    return any(hmac.compare_digest(_proof(secret, name), proof) for secret in keys)


def _proof(secret: str, name: bytes) -> bytes:
    return digest(secret, "return-path proof", name.hex())[:_PROOF_BYTES]


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
