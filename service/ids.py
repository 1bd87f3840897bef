"""Ids: short, unguessable, and easy to read aloud."""

import secrets

ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz"
"""Letters and digits without those that look alike (0 O o, 1 I l)."""

LENGTH = 12


def new_id() -> str:
    """Return a random id of 12 characters (69 bits), from the operating system's random numbers."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
