"""Damage done to mails with a given random generator: to their bytes, and to the lines of an answer."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

Damage = Callable[[bytes, Random], bytes]

SIGNS = "0123456789abfxABFXZ  \t.,;:!?@()<>-–=+*/'\"&#%|_~éü§ß½²\u00a0\u200b\ufffd２Ｆ\U0001f600"
"""The characters that may get into a line."""


def cut(raw: bytes, random: Random) -> bytes:
    """Remove some bytes."""
    at, length = random.randrange(len(raw)), random.choice((1, 1, 2, 5, 40, 400))
    return raw[:at] + raw[at + length :]


def doubled(raw: bytes, random: Random) -> bytes:
    """Repeat some bytes."""
    at, length = random.randrange(len(raw)), random.choice((1, 2, 20, 300))
    return raw[: at + length] + raw[at:]


def overwritten(raw: bytes, random: Random) -> bytes:
    """Overwrite some bytes with random ones."""
    at, length = random.randrange(len(raw)), random.choice((1, 1, 1, 3, 12))
    return raw[:at] + random.randbytes(length) + raw[at + length :]


def flipped(raw: bytes, random: Random) -> bytes:
    """Flip one bit."""
    at = random.randrange(len(raw))
    return raw[:at] + bytes([raw[at] ^ 1 << random.randrange(8)]) + raw[at + 1 :]


def ended(raw: bytes, random: Random) -> bytes:
    """End the mail too early."""
    return raw[: random.randrange(len(raw))]


def exchanged(raw: bytes, random: Random) -> bytes:
    """Swap two lines."""
    lines = raw.split(b"\n")
    one, other = random.randrange(len(lines)), random.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


def line_gone(raw: bytes, random: Random) -> bytes:
    """Remove a line."""
    lines = raw.split(b"\n")
    del lines[random.randrange(len(lines))]
    return b"\n".join(lines)


def other_ends(raw: bytes, random: Random) -> bytes:
    """Change the ends of the lines."""
    return raw.replace(b"\r\n", random.choice((b"\n", b"\r", b"\r\r\n")))


def other_label(raw: bytes, random: Random) -> bytes:
    """Let the parts claim to be something else than they are."""
    old = random.choice(
        (b"utf-8", b"quoted-printable", b"base64", b"text/plain", b"text/html", b"alternative", b"flowed", b"charset")
    )
    new = random.choice(
        (b"x-unknown", b"utf-16", b"us-ascii", b"8bit", b"text/html", b"text/plain", b"mixed", b"idna", b"")
    )
    return raw.replace(old, new, random.choice((1, 2, 99)))


def noise(raw: bytes, random: Random) -> bytes:
    """Insert random bytes."""
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
    """Damage a mail one to four times."""
    for _ in range(random.choice((1, 1, 2, 2, 3, 4))):
        raw = random.choice(DAMAGES)(raw, random) or b"\n"
    return raw


def misspelled(line: str, random: Random) -> str:
    """Misspell a line once or twice: a character added, left out, replaced, or swapped with the next."""
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
