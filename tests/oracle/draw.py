"""A second implementation of `nova-luna-draw/1`."""

import hashlib
import hmac
from collections.abc import Iterator

NAME = b"nova-luna-draw/1"


def commitment(server_seed: bytes) -> str:
    """Return the hash that is shown before anyone joins: SHA-256 in hex."""
    return hashlib.sha256(NAME + b" commitment\x00" + server_seed).hexdigest()


def draw_key(server_seed: bytes, subject: str, entropy: list[str]) -> bytes:
    """Return the key made of the seed, the subject and each seat's text."""
    message = NAME + b" key\x00" + subject.encode("utf-8")
    for text in entropy:
        message += b"\x00" + text.encode("utf-8")
    return hmac.digest(server_seed, message, "sha256")


def numbers(key: bytes, label: str) -> Iterator[int]:
    """Yield the stream: unsigned 32-bit numbers without end."""
    counter = 0
    while True:
        block = hmac.digest(key, label.encode("ascii") + b"\x00" + counter.to_bytes(4, "big"), "sha256")
        for start in range(0, len(block), 4):
            yield int.from_bytes(block[start : start + 4], "big")
        counter += 1


def below(stream: Iterator[int], n: int) -> int:
    """Return the next number of the stream that is unbiased for n, modulo n."""
    for number in stream:
        if number < 2**32 - 2**32 % n:
            return number % n
    raise AssertionError("the stream has ended")


def shuffled(items: list[int], stream: Iterator[int]) -> list[int]:
    """Return the items, each from the last to the second swapped with one at or before it."""
    items = list(items)
    for i in range(len(items) - 1, 0, -1):
        j = below(stream, i + 1)
        items[i], items[j] = items[j], items[i]
    return items


def draw(server_seed: bytes, subject: str, entropy: list[str]) -> tuple[list[int], list[int]]:
    """Return the tiles in draw order, and the starting pile, bottom first."""
    key = draw_key(server_seed, subject, entropy)
    tiles = shuffled(list(range(1, 69)), numbers(key, "tiles"))
    stack = shuffled(list(range(len(entropy))), numbers(key, "stack"))
    return tiles, stack
