"""Read and write the texts of proofs: that an entry is in the log (C2SP tlog-proof), and that the log only grew."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from service.checkpoints.encoding import from_base64, from_decimal, hash_from, to_base64
from service.checkpoints.errors import CheckpointError
from service.checkpoints.leaves import FINISHED, LAST_VERSION, RUNNING
from service.checkpoints.merkle import LONGEST_PATH

FIRST_LINE: Final = "c2sp.org/tlog-proof@v1"

_LEAF = "nova-luna-leaf/1"
_ENTRY = re.compile(r"[0-9a-f]{128}")
# What stands before the note: 63 hashes, the entry, and numbers, in less than this many characters.
_LONGEST_HEAD = 4_096


@dataclass(frozen=True, slots=True)
class Proof:
    """The proof that a game had a leaf: what the leaf says, where it is, its path, and the checkpoint as a note."""

    version: int
    status: str
    entry: bytes
    index: int
    path: tuple[bytes, ...]
    note: str

    @classmethod
    def parse(cls, text: str) -> Proof:
        """Return a proof; raise CheckpointError `proof_malformed` if the text is not a proof. Its note is not read."""
        head, note = _parted(text)
        try:
            first, extra, index, *path = head
            if first != FIRST_LINE:
                raise ValueError
            version, status, entry = _leaf(_after("extra ", extra))
            return cls(version, status, entry, from_decimal(_after("index ", index)), _path(path), note)
        except ValueError:
            raise _malformed(
                f"a proof is {FIRST_LINE}, its extra line with a {_LEAF}, the index, the path, and a note"
            ) from None

    def text(self) -> str:
        """Return the proof as it is written."""
        extra = to_base64(f"{_LEAF} {self.version} {self.status} {self.entry.hex()}".encode())
        return _joined((FIRST_LINE, f"extra {extra}", f"index {self.index}"), self.path, self.note)


class Consistency(NamedTuple):
    """The proof that a tree of the size `old` grew to that of a checkpoint: its path, and the checkpoint as a note."""

    old: int
    path: tuple[bytes, ...]
    note: str

    @classmethod
    def parse(cls, text: str) -> Consistency:
        """Return a proof of consistency; raise CheckpointError `proof_malformed` if the text is not one."""
        head, note = _parted(text)
        try:
            return cls(from_decimal(_after("old ", head[0])), _path(head[1:]), note)
        except ValueError:
            raise _malformed("a proof of consistency is the old size, the path, and a note") from None

    def text(self) -> str:
        """Return the proof as it is written, which is also how it is sent to a witness."""
        return _joined((f"old {self.old}",), self.path, self.note)


def _parted(text: str) -> tuple[list[str], str]:
    end = text.find("\n\n", 0, _LONGEST_HEAD)
    if end < 0:
        raise _malformed("there is no empty line before the note")
    return text[:end].split("\n"), text[end + 2 :]


def _joined(head: Sequence[str], path: Sequence[bytes], note: str) -> str:
    return "\n".join([*head, *map(to_base64, path), "", note])


def _after(name: str, line: str) -> str:
    if not line.startswith(name):
        raise ValueError(f"{name}was expected")
    return line.removeprefix(name)


def _leaf(extra: str) -> tuple[int, str, bytes]:
    words = from_base64(extra).decode("ascii").split(" ")
    form, version, status, entry = words
    if form != _LEAF or status not in (RUNNING, FINISHED) or not _ENTRY.fullmatch(entry):
        raise ValueError("this is not a leaf of a game")
    return from_decimal(version, LAST_VERSION), status, bytes.fromhex(entry)


def _path(lines: Sequence[str]) -> tuple[bytes, ...]:
    if len(lines) > LONGEST_PATH:
        raise ValueError("the path is too long")
    return tuple(hash_from(line) for line in lines)


def _malformed(why: str) -> CheckpointError:
    return CheckpointError("proof_malformed", why)
