"""Make access tokens. They are stored as hashes and shown once."""

import hashlib
import re
import secrets

#: The form of a token: 256 random bits in base64url.
PATTERN = re.compile(r"[A-Za-z0-9_-]{43}")


def new_token() -> str:
    """Return a new token from the operating system's randomness."""
    return secrets.token_urlsafe(32)


def hash_of(token: str) -> bytes:
    """Return the SHA-256 of a token, which is stored in its place.

    It needs no salt and no slow hash, because a token is too random to guess.
    """
    return hashlib.sha256(token.encode()).digest()
