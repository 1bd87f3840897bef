"""Compress a page with slots from parts that were compressed once for all its viewers (RFC 1951, RFC 1952).

Each part ends with a full flush, so nothing refers back from one to another. What is put into a slot has a block of its
own: no length tells whether it has something in common with what stands beside it (BREACH), and short contents, such as
tokens, are not compressed at all. The signed link by which a page was opened stands in too many of its addresses for
that, so the parts of such a page are compressed with it, for this link alone. The length of the whole is hidden as
`service.api.compression` hides it.
"""

from __future__ import annotations

import secrets
import struct
import zlib
from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

from service.api.compression import LEVEL, PADDING
from service.pages.slots import Content, SlottedPage, contents_of

_HEAD = b"\x1f\x8b\x08\x08\0\0\0\0\0\xff"
"""The header of a gzip member with a file name, and without a time."""

_END = b"\x03\0"
"""An empty last block."""

_LONG = 200
"""Bytes from which on the content of a slot is compressed."""

_RAW = -zlib.MAX_WBITS


class PagePart(NamedTuple):
    """A part of a page, plain and compressed."""

    plain: bytes
    packed: bytes


class CompressedPage:
    """A page of which all but some slots is compressed, when that is first asked for.

    Args:
        page: the page, in which those slots are filled whose contents are the same for all who are shown it.
    """

    def __init__(self, page: SlottedPage) -> None:
        self.page = page

    def __len__(self) -> int:
        """Return about how many bytes are kept; compressed, a page has less than a fourth of its size."""
        return len(self.page) * 5 // 4

    @cached_property
    def _parts(self) -> list[PagePart]:
        return [PagePart(text, _packed(text)) for text in self.page.parts]

    def gzipped(self, contents: Mapping[str, Content]) -> bytes:
        """Return the page with the contents of its slots, compressed."""
        found = {name: PagePart(text, _packed(text)) for name, text in contents_of(self.page.names, contents).items()}
        parts = [self._parts[0]]
        for slot, part in zip(self.page.names, self._parts[1:], strict=True):
            parts += found[slot], part
        check = size = 0
        for part in parts:
            check, size = zlib.crc32(part.plain, check), size + len(part.plain)
        name = b"-" * secrets.randbelow(PADDING) + b"\0"
        return b"".join((_HEAD, name, *[part.packed for part in parts], _END, struct.pack("<LL", check, size)))


def _packed(plain: bytes) -> bytes:
    """Return blocks that end at a byte, after which nothing refers to them."""
    if len(plain) < _LONG:
        return struct.pack("<BHH", 0, len(plain), len(plain) ^ 0xFFFF) + plain  # one stored block
    packing = zlib.compressobj(LEVEL, zlib.DEFLATED, _RAW)
    return packing.compress(plain) + packing.flush(zlib.Z_FULL_FLUSH)
