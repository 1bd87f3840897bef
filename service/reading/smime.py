"""Extract the mail inside an S/MIME part that is signed but not encrypted (RFC 8551, 3.5.2; RFC 5652, 5).

The signature is not verified. Only the outer layers are parsed, in BER or DER: the object identifiers of CMS, and the
octets of the content.
"""

from __future__ import annotations

from collections.abc import Iterator

_SIGNED = bytes.fromhex("2a864886f70d010702")
_DEEPEST = 12
_MOST_PIECES = 20_000

_OID, _SEQUENCE, _OCTETS, _OCTETS_IN_PIECES, _EXPLICIT = 0x06, 0x30, 0x04, 0x24, 0xA0


class _InvalidData(Exception):
    """The data is not signed data, or it is damaged."""


def signed_content(cms: bytes) -> bytes | None:
    """Return the content that was signed, or None if the data is unreadable or does not hold its content."""
    try:
        return _content(cms)
    except (_InvalidData, IndexError):
        return None


def _content(cms: bytes) -> bytes | None:
    outer = list(_items(_only(cms, _SEQUENCE), 3))
    if len(outer) < 2 or outer[0] != (_OID, _SIGNED) or outer[1][0] != _EXPLICIT:
        return None
    for tag, value in _items(_only(outer[1][1], _SEQUENCE), 4):
        if tag == _SEQUENCE:
            within = list(_items(value, 3))
            if len(within) > 1 and within[0][0] == _OID and within[1][0] == _EXPLICIT:
                return b"".join(_octets(within[1][1], 0))
            return None
    return None


def _octets(data: bytes, depth: int) -> Iterator[bytes]:
    """Yield the octets of a string, which may come in several pieces."""
    if depth > _DEEPEST:
        raise _InvalidData
    for tag, value in _items(data, _MOST_PIECES):
        if tag == _OCTETS:
            yield value
        elif tag == _OCTETS_IN_PIECES:
            yield from _octets(value, depth + 1)


def _only(data: bytes, tag: int) -> bytes:
    for found, value in _items(data, 1):
        if found == tag:
            return value
    raise _InvalidData


def _items(data: bytes, most: int) -> Iterator[tuple[int, bytes]]:
    """Yield tags and values, one after the other."""
    at = 0
    while at < len(data) and most:
        tag, start, end, at = _item(data, at, 0)
        if tag == 0:  # the end of an item of indefinite length
            return
        yield tag, data[start:end]
        most -= 1


def _item(data: bytes, at: int, depth: int) -> tuple[int, int, int, int]:
    """Return an item's tag, where its value starts and ends, and where the next item starts."""
    if depth > _DEEPEST or data[at] & 0x1F == 0x1F:
        raise _InvalidData
    tag, length, start = data[at], data[at + 1], at + 2
    if length < 0x80:
        return tag, start, start + length, start + length
    if length > 0x80:
        size = length & 0x7F
        if size > 4:
            raise _InvalidData
        end = start + size + int.from_bytes(data[start : start + size], "big")
        return tag, start + size, end, end
    place, pieces = start, 0
    while data[place : place + 2] != b"\0\0":
        place = _item(data, place, depth + 1)[3]
        pieces += 1
        if place >= len(data) or pieces > _MOST_PIECES:
            raise _InvalidData
    return tag, start, place, place + 2
