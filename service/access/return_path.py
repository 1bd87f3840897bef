"""Make the return paths of mails: each mail has its own envelope sender (VERP), to which it bounces.

A bounce may say little about the mail, but the address that it came to identifies it. That is the sender's address with
a reference after a plus sign, so bounces arrive in the sender's mailbox. The reference follows from the mail's key and
the server's secret key, so nobody can forge a bounce of somebody else's mail. Its last bytes prove that it was made
here, so a forged one is refused on arrival. It is the same in upper and lower case, which some mail servers change.
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
    """Return the references of a mail, given by its key (`Envelope.key`): 24 characters each, one for each secret key.

    Mails are sent with the first one.
    """
    names = ((secret, digest(secret, "return-path", key)[:_NAME_BYTES]) for secret in keys)
    return tuple(base64.b32encode(name + _proof(secret, name)).decode().lower() for secret, name in names)


def is_proven(keys: Keys, reference: str) -> bool:
    """Return whether a reference of 24 characters was made with one of these keys.

    References made before they contained a proof were not; only the ledger knows those.
    """
    given = base64.b32decode(reference.upper())
    name, proof = given[:_NAME_BYTES], given[_NAME_BYTES:]
    return any(hmac.compare_digest(_proof(secret, name), proof) for secret in keys)


def _proof(secret: str, name: bytes) -> bytes:
    return digest(secret, "return-path proof", name.hex())[:_PROOF_BYTES]


def return_path(sender: str, reference: str) -> str:
    """Return the address that a mail with this reference bounces to; `sender` is the value of its From header.

    It is the sender's own address if that one's local part is too long for a reference (64 bytes in all).
    """
    address = parseaddr(sender)[1]
    local, _, domain = address.rpartition("@")
    marked = f"{local}{_MARK}{reference}"
    return f"{marked}@{domain}" if len(marked) <= _LONGEST else address


def reference_of(address: str) -> str | None:
    """Return the reference in an address that a mail bounced to, in lower case, or None."""
    found = _ADDRESS.search(address)
    return found[1].lower() if found else None
