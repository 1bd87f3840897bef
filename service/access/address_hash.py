"""Hash addresses where they must not be readable: in the never-mail list, and in jobs that outlive an account."""

from __future__ import annotations

from service.access.secrets import Keys, digest


def address_hashes(keys: Keys, address: str) -> tuple[bytes, ...]:
    """Return the HMACs of an address in lower case, one for each secret key; store the first."""
    return tuple(digest(key, "never-mail", address.lower()) for key in keys)
