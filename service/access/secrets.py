"""Derive secrets that are never stored: each follows from the server's secret key, a purpose and an id.

So a mail can be composed again at any time, and neither the database nor a job nor a log line holds anything that lets
somebody in. Wherever `keys` is a tuple of secret keys, the first one makes secrets and all of them are accepted, so the
key can be changed while secrets made with the old one are still in use.
"""

import base64
import hashlib
import hmac
import re
from functools import cache
from typing import Any

from itsdangerous import BadSignature, URLSafeSerializer

Keys = tuple[str, ...]

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_CODE_LENGTH = 10
_LOOK_ALIKES = str.maketrans("OIL", "011")


def digest(key: str, purpose: str, text: str) -> bytes:
    """Return the HMAC-SHA-256 of a text for a purpose, 32 bytes."""
    return hmac.digest(key.encode(), f"{purpose}\0{text}".encode(), hashlib.sha256)


def code(keys: Keys, purpose: str, id: str) -> str:
    """Return a code to type in: ten of Crockford's base 32 characters, as `ABCDE-FGHJK` (50 bits)."""
    text = _code(keys[0], purpose, id)
    return f"{text[:5]}-{text[5:]}"


def is_code(keys: Keys, purpose: str, id: str, given: str) -> bool:
    """Return whether a typed code is that of this id. Case, white space, hyphens and look-alikes do not matter."""
    typed = re.sub(r"[\s-]", "", given).upper().translate(_LOOK_ALIKES).encode(errors="replace")
    return any(hmac.compare_digest(_code(key, purpose, id).encode(), typed) for key in keys)


def _code(key: str, purpose: str, id: str) -> str:
    number = int.from_bytes(digest(key, f"code {purpose}", id), "big")
    return "".join(_CROCKFORD[number >> 5 * place & 31] for place in range(_CODE_LENGTH))


def secret(keys: Keys, purpose: str, id: str) -> str:
    """Return a secret to copy: 43 characters of base64url (256 bits)."""
    return _secret(keys[0], purpose, id)


def is_secret(keys: Keys, purpose: str, id: str, given: str) -> bool:
    """Return whether a copied secret is that of this id."""
    typed = given.encode(errors="replace")
    return any(hmac.compare_digest(_secret(key, purpose, id).encode(), typed) for key in keys)


def _secret(key: str, purpose: str, id: str) -> str:
    return base64.urlsafe_b64encode(digest(key, f"secret {purpose}", id)).rstrip(b"=").decode()


def link(keys: Keys, purpose: str, payload: Any) -> str:
    """Return JSON data, signed for a purpose, as text for the query of a URL."""
    return str(_serializer(keys, purpose).dumps(payload))


def unlink(keys: Keys, purpose: str, text: str) -> Any:
    """Return the data of a signed link, or None if it was not signed for this purpose by one of the keys."""
    try:
        return _serializer(keys, purpose).loads(text.encode(errors="replace"))
    except BadSignature:
        return None


@cache
def _serializer(keys: Keys, purpose: str) -> URLSafeSerializer:
    # itsdangerous signs with the last key of its list
    return URLSafeSerializer(
        list(reversed(keys)),
        salt=f"link {purpose}",
        signer_kwargs={"key_derivation": "hmac", "digest_method": hashlib.sha256},
    )
