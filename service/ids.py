"""Ids of things: short, unguessable, easy to read out."""

import secrets

#: Letters and digits without those that look alike (0 O o, 1 I l).
ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz"
LENGTH = 12


def new_id() -> str:
    """A fresh id of 12 characters (69 bits), from the operating system's randomness."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
