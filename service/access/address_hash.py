"""How an address is known where it must not be readable: the never-mail list, and jobs that outlive an account."""

from __future__ import annotations

from service.access.secrets import Keys, digest


def address_hashes(keys: Keys, address: str) -> tuple[bytes, ...]:
    """The HMACs of an address in any case, one for each secret key; the first is the one to store."""
    return tuple(digest(key, "never-mail", address.lower()) for key in keys)
