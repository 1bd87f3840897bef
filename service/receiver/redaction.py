"""Remove the service's own secrets from a mail before it is stored, because replies quote the mail they reply to.

The secrets are reply addresses and signed links. Both may occur in the header, in a text, in quoted-printable with a
line break anywhere, or inside base64. Each is replaced by as many letters `x`, so nothing else in the mail moves, and
the same parts are read from it as before.
"""

from __future__ import annotations

import re
import string
from base64 import b64decode, b64encode

_BREAK = rb"(?>(?:\x00|=(?:00|\r?\n)|\r?\n[ \t>]*+){0,2})"
"""A break inside an address: a soft line break, half a character of UTF-16, or a line that some program has wrapped."""

_BREAKS = re.compile(_BREAK)
_MARKS = (b"play", b"leave", b"stop", b"mute", b"agree", b"enter", b"guest")
_ADDRESS = re.compile(
    rb"((?:-|[=%]2[dD]|&#(?:45|[xX]2[dD]);)" + _BREAK + rb")([a-zA-Z2-7](?:" + _BREAK + rb"[a-zA-Z2-7]){39})"
)
_LONGEST_MARK = 60
_SOFT = rb"(?>(?:\x00|=(?:00|\r?\n)){0,2})"
_BEFORE_SIGN = rb"(?:\x00|=(?:00|\r?\n)){0,2}"
"""A soft break that may give back the equals sign that it matched."""

_LINK = re.compile(
    rb"([lL]" + _SOFT.join((b"", b"[iI]", b"[nN]", b"[kK]")) + _BEFORE_SIGN + rb"(?:[=%]3[dD]|=)" + _SOFT + rb")"
    rb"((?=(?:(?:[a-zA-Z0-9_.-]|[%=][0-9a-fA-F]{2})" + _SOFT + rb"){20})"
    rb"(?>(?:[a-zA-Z0-9_.-]++|[%=][0-9a-fA-F]{2}|=\r?\n|\x00)+))"
)
"""A signed link of at least twenty characters. How many more there are is not counted, as that could take very long."""

_ESCAPE = re.compile(rb"[%=][0-9a-fA-F]{2}")
"""The parts of a secret that are kept: the escapes of quoted-printable and of URLs."""

_SIGNS = string.ascii_letters.encode() + string.digits.encode()
_COVER = bytes.maketrans(_SIGNS, b"x" * len(_SIGNS))
_BASE64 = re.compile(
    rb"[A-Za-z0-9+/](?<![A-Za-z0-9+/]{2})(?:[A-Za-z0-9+/]{39,}+|[A-Za-z0-9+/]{3,}+(?=\r?\n[A-Za-z0-9+/]{2}))"
    rb"(?>(?:\r?\n[A-Za-z0-9+/]{2,}+)*)={0,2}"
)
_LINE_ENDS = re.compile(rb"(\r?\n)")
_SHORTEST = 40


def redacted(raw: bytes) -> bytes:
    """Return the mail without the service's secrets, at its original length."""
    return _BASE64.sub(_block, _plain(raw))


def _plain(text: bytes) -> bytes:
    return _LINK.sub(_covered, _ADDRESS.sub(_address, text))


def _address(found: re.Match[bytes]) -> bytes:
    """Cover an address if one of the marks stands in front of it."""
    before = found.string[max(0, found.start() - _LONGEST_MARK) : found.start()]
    return _covered(found) if _BREAKS.sub(b"", before).lower().endswith(_MARKS) else found[0]


def _covered(found: re.Match[bytes]) -> bytes:
    secret = found[2]
    covered = bytearray(secret.translate(_COVER))
    for escape in _ESCAPE.finditer(secret):
        covered[escape.start() : escape.end()] = escape[0]
    return found[1] + covered


def _block(found: re.Match[bytes]) -> bytes:
    """Cover secrets inside lines that look like base64, if they are base64 and contain any."""
    block = found[0]
    if len(block) < _SHORTEST:
        return block
    bare = _LINE_ENDS.sub(b"", block).rstrip(b"=")
    bare = bare[: len(bare) - (len(bare) % 4 == 1)]
    text = b64decode(bare + b"=" * (-len(bare) % 4))
    covered = _plain(text)
    if covered == text:
        return block
    signs = b64encode(covered)[: len(bare)]
    pieces, at = [], 0
    for piece in _LINE_ENDS.split(block):
        new = piece if piece.endswith(b"\n") else signs[at : at + len(piece)]
        at += 0 if piece.endswith(b"\n") else len(new)
        pieces.append(new + piece[len(new) :])
    return b"".join(pieces)
