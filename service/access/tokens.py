"""Bearer tokens: made here, kept as hashes, shown once."""

import hashlib
import re
import secrets

#: What a token looks like: 256 random bits in base64url.
PATTERN = re.compile(r"[A-Za-z0-9_-]{43}")


def new_token() -> str:
    """A fresh token from the operating system's randomness."""
    return secrets.token_urlsafe(32)


def hash_of(token: str) -> bytes:
    """What is kept of a token: its SHA-256. It needs no salt and no slow hash, as there is nothing to guess in it."""
    return hashlib.sha256(token.encode()).digest()
