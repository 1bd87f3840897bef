"""The provable draw, `nova-luna-draw/1` (docs/FORMATS.md): nobody can choose or foresee it, anybody can check it."""

from __future__ import annotations

import hashlib
import hmac
import re
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from engine.tiles import COUNT

ALGORITHM = "nova-luna-draw/1"

LONGEST_ENTROPY = 64
"""The most characters of a player's text."""

ENTROPY_CHARACTERS = r"[\x20-\x7e]"
"""The characters that a player's text may have, as a class of a pattern."""

_ENTROPY = re.compile(rf"{ENTROPY_CHARACTERS}{{0,{LONGEST_ENTROPY}}}")
_BLOCK = struct.Struct(">8I")


def commitment(server_seed: bytes) -> str:
    """Return the hex digest that is shown before anyone joins and that binds the host to `server_seed` (32 bytes)."""
    return hashlib.sha256(b"nova-luna-draw/1 commitment\x00" + server_seed).hexdigest()


def is_entropy(text: str) -> bool:
    """Return whether a player may contribute this text to the draw: 0 to 64 characters from U+0020 to U+007E."""
    return _ENTROPY.fullmatch(text) is not None


def below(n: int, number: Callable[[], int]) -> int:
    """Return a uniformly distributed number from 0 to n - 1, made from unsigned 32-bit numbers.

    Numbers from the last, incomplete run of n are skipped, because taking them modulo n would favor the small results.
    """
    limit = (1 << 32) - (1 << 32) % n
    while True:
        u = number()
        if u < limit:
            return u % n


class Stream:
    """The draw's stream for a key and a label: HMAC-SHA-256 blocks, cut into unsigned 32-bit numbers."""

    __slots__ = ("_counter", "_key", "_label", "_numbers")

    def __init__(self, key: bytes, label: str) -> None:
        self._key = key
        self._label = label.encode() + b"\x00"
        self._counter = 0
        self._numbers: list[int] = []

    def number(self) -> int:
        """Return the next unsigned 32-bit number."""
        if not self._numbers:
            block = hmac.digest(self._key, self._label + self._counter.to_bytes(4, "big"), "sha256")
            self._counter += 1
            self._numbers = list(_BLOCK.unpack(block)[::-1])
        return self._numbers.pop()

    def below(self, n: int) -> int:
        """Return a uniformly distributed number from 0 to n - 1."""
        return below(n, self.number)

    def shuffle(self, items: list[int]) -> list[int]:
        """Shuffle the list in place (Fisher-Yates from the end) and return it."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]
        return items


def key(server_seed: bytes, subject: str, entropy: Sequence[str]) -> bytes:
    """Derive the draw's key from the seed, its subject (a game's id, or a shared draw's name) and each seat's text."""
    message = b"nova-luna-draw/1 key\x00" + subject.encode()
    return hmac.digest(server_seed, message + b"".join(b"\x00" + text.encode() for text in entropy), "sha256")


@dataclass(frozen=True)
class Draw:
    """A draw: from seed, subject and texts to the order of the tiles and of the starting pile (1.1, 1.3)."""

    server_seed: bytes = field(repr=False)
    subject: str
    entropy: tuple[str, ...]

    @property
    def commitment(self) -> str:
        """The commitment to this draw's seed, in hex."""
        return commitment(self.server_seed)

    @property
    def tiles(self) -> tuple[int, ...]:
        """The ids of all 68 tiles in draw order."""
        return tuple(self._stream("tiles").shuffle(list(range(1, COUNT + 1))))

    @property
    def stack(self) -> tuple[int, ...]:
        """The seats of the starting pile, bottom first."""
        return tuple(self._stream("stack").shuffle(list(range(len(self.entropy)))))

    def _stream(self, label: str) -> Stream:
        return Stream(key(self.server_seed, self.subject, self.entropy), label)
