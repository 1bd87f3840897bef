"""Compute a game's entries in the log: what they commit to, and who can find them (docs/CHECKPOINTS.md, The leaf)."""

from __future__ import annotations

import hashlib
from typing import Any, Final

from engine.audit import header
from engine.record import digest

RUNNING: Final = "running"
FINISHED: Final = "finished"
ENTRY_BYTES: Final = 64
LAST_VERSION: Final = 2**32 - 1

_TAG = b"nova-luna-leaf/1 tag\x00"
_BODY = b"nova-luna-leaf/1 body\x00"
_STATUS = {RUNNING: b"\x00", FINISHED: b"\x01"}


def tag(header_hash: bytes, version: int) -> bytes:
    """Return the half of an entry by which those who have seen the game's header find it."""
    return hashlib.sha256(_TAG + header_hash + version.to_bytes(4, "big")).digest()


def entry(header_hash: bytes, version: int, status: str, head: bytes) -> bytes:
    """Return the 64 bytes of a game's entry in the log.

    Args:
        header_hash: the hash of the game's header, 32 bytes.
        version: how many entries of the game it covers.
        status: `RUNNING`, or `FINISHED` exactly if the game is over at that version.
        head: the hash of the entry `version`; the header's at version 0.
    """
    number = version.to_bytes(4, "big")
    body = hashlib.sha256(_BODY + header_hash + number + _STATUS[status] + head).digest()
    return hashlib.sha256(_TAG + header_hash + number).digest() + body


def links(record: dict[str, Any]) -> list[bytes]:
    """Return the hashes of a record's header and entries, each computed on the computed one before it as `prev`."""
    prev = digest(header(record))
    hashes = [bytes.fromhex(prev)]
    for each in record["log"]:
        prev = digest({name: value for name, value in each.items() if name != "hash"} | {"prev": prev})
        hashes.append(bytes.fromhex(prev))
    return hashes


def status_at(record: dict[str, Any], version: int) -> str:
    """Return the status of a record's game at one of its versions: finished at the last one if it has a result."""
    return FINISHED if record["result"] is not None and version == len(record["log"]) else RUNNING
