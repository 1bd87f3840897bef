"""The head of a mail as bytes: its fields as they came. Total: any bytes have a head, maybe an empty one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

MOST_HEAD = 256 * 1024
"""Bytes of a mail's head that are looked at."""

_END = re.compile(rb"\r?\n\r?\n|\A\r?\n")
_FIELD = re.compile(rb"^([!-9;-~]{1,200})[ \t]*:(.*(?:\r?\n[ \t].*)*)", re.MULTILINE)


class Field(NamedTuple):
    """A field: its name in lower case, and its value with lines joined and white space made one space."""

    name: str
    value: bytes


def split(raw: bytes) -> tuple[list[Field], bytes]:
    """The fields of a mail in their order, from the top, and its body (RFC 5322, 2.1)."""
    end = _END.search(raw, 0, MOST_HEAD)
    head, body = (raw[: end.start()], raw[end.end() :]) if end else (raw[:MOST_HEAD], raw[MOST_HEAD:])
    return [
        Field(found[1].decode("ascii").lower(), b" ".join(found[2].split())) for found in _FIELD.finditer(head)
    ], body


def values(fields: Sequence[Field], name: str) -> list[bytes]:
    """The values of all fields of this name, given in lower case."""
    return [field.value for field in fields if field.name == name]
