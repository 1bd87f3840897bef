"""Make access tokens and the secrets of browsers' sessions. They are stored as hashes and shown once."""

import hashlib
import re
import secrets

PATTERN = re.compile(r"[A-Za-z0-9_-]{43}")
"""The form of a token: 256 random bits in base64url."""


def new_token() -> str:
    """Return a new token from the operating system's randomness."""
    return secrets.token_urlsafe(32)


def new_nonce() -> str:
    """Return a new text that nobody guesses while it is in use, shorter than a token."""
    return secrets.token_urlsafe(12)


def hash_of(token: str) -> bytes:
    """Return the SHA-256 of a token, which is stored in its place.

    It needs no salt and no slow hash, because a token is too random to guess.
    """
    return hashlib.sha256(token.encode()).digest()


def session_hash_of(secret: str) -> bytes:
    """Return the hash of a session's secret, which is stored in its place.

    It differs from that of an access token with the same text, so neither is accepted in place of the other.
    """
    return hashlib.sha256(b"session\0" + secret.encode()).digest()


def browser_hash_of(secret: str) -> bytes:
    """Return the hash of the secret that a browser gets when it begins to sign in."""
    return hashlib.sha256(b"browser\0" + secret.encode()).digest()
