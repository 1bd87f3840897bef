"""Damage to mails, by a random generator that is handed in.

To the bytes as they come, and to the lines of an answer.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

Damage = Callable[[bytes, Random], bytes]

SIGNS = "0123456789abfxABFXZ  \t.,;:!?@()<>-–=+*/'\"&#%|_~éü§ß½²\u00a0\u200b\ufffd２Ｆ\U0001f600"
"""What may come into a line."""


def cut(raw: bytes, random: Random) -> bytes:
    """Some bytes are gone."""
    at, length = random.randrange(len(raw)), random.choice((1, 1, 2, 5, 40, 400))
    return raw[:at] + raw[at + length :]


def doubled(raw: bytes, random: Random) -> bytes:
    """Some bytes are there twice."""
    at, length = random.randrange(len(raw)), random.choice((1, 2, 20, 300))
    return raw[: at + length] + raw[at:]


def overwritten(raw: bytes, random: Random) -> bytes:
    """Some bytes are others."""
    at, length = random.randrange(len(raw)), random.choice((1, 1, 1, 3, 12))
    return raw[:at] + random.randbytes(length) + raw[at + length :]


def flipped(raw: bytes, random: Random) -> bytes:
    """One bit is another."""
    at = random.randrange(len(raw))
    return raw[:at] + bytes([raw[at] ^ 1 << random.randrange(8)]) + raw[at + 1 :]


def ended(raw: bytes, random: Random) -> bytes:
    """The mail ends too early."""
    return raw[: random.randrange(len(raw))]


def exchanged(raw: bytes, random: Random) -> bytes:
    """Two lines have changed places."""
    lines = raw.split(b"\n")
    one, other = random.randrange(len(lines)), random.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


def line_gone(raw: bytes, random: Random) -> bytes:
    """A line is gone."""
    lines = raw.split(b"\n")
    del lines[random.randrange(len(lines))]
    return b"\n".join(lines)


def other_ends(raw: bytes, random: Random) -> bytes:
    """Lines end otherwise."""
    return raw.replace(b"\r\n", random.choice((b"\n", b"\r", b"\r\r\n")))


def other_label(raw: bytes, random: Random) -> bytes:
    """The parts say to be something else than they are."""
    old = random.choice(
        (b"utf-8", b"quoted-printable", b"base64", b"text/plain", b"text/html", b"alternative", b"flowed", b"charset")
    )
    new = random.choice(
        (b"x-unknown", b"utf-16", b"us-ascii", b"8bit", b"text/html", b"text/plain", b"mixed", b"idna", b"")
    )
    return raw.replace(old, new, random.choice((1, 2, 99)))


def noise(raw: bytes, random: Random) -> bytes:
    """Bytes of any kind have come in."""
    at = random.randrange(len(raw))
    return raw[:at] + random.randbytes(random.choice((1, 8, 200))) + raw[at:]


DAMAGES: tuple[Damage, ...] = (
    cut,
    doubled,
    overwritten,
    flipped,
    ended,
    exchanged,
    line_gone,
    other_ends,
    other_label,
    noise,
)


def damaged(raw: bytes, random: Random) -> bytes:
    """A mail after one to four damages."""
    for _ in range(random.choice((1, 1, 2, 2, 3, 4))):
        raw = random.choice(DAMAGES)(raw, random) or b"\n"
    return raw


def misspelt(line: str, random: Random) -> str:
    """A line with one sign more, less, or another one, once or twice."""
    for _ in range(random.choice((1, 1, 2))):
        at, sign = random.randrange(len(line) + 1), random.choice(SIGNS)
        match random.randrange(4):
            case 0:
                line = line[:at] + sign + line[at:]
            case 1:
                line = line[:at] + line[at + 1 :]
            case 2 if at + 1 < len(line):
                line = line[:at] + line[at + 1] + line[at] + line[at + 2 :]
            case _:
                line = line[:at] + sign + line[at + 1 :]
    return line
