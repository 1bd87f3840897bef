"""Read and write signed notes and the checkpoints in them (C2SP signed-note and tlog-checkpoint)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from service.checkpoints.encoding import from_base64, from_decimal, hash_from, is_key_name, to_base64
from service.checkpoints.errors import CheckpointError
from service.checkpoints.keys import SigningKey, VerifyKey
from service.checkpoints.merkle import EMPTY

LARGEST: Final = 65_536
"""The number of bytes that a note may have."""

MOST_SIGNATURES: Final = 100

_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f]")
_DASH = "— "


class Signature(NamedTuple):
    """A signature line: the key's name and id, and the bytes after the id."""

    name: str
    key_id: bytes
    raw: bytes


class SignedNote(NamedTuple):
    """A signed note: its text with the last line feed, its signatures, and all of it as it was written."""

    text: str
    signatures: tuple[Signature, ...]
    whole: str

    @classmethod
    def parse(cls, given: str | bytes) -> SignedNote:
        """Return a note; raise CheckpointError `note_malformed` if the text is not a note. No signature is checked."""
        whole = _text(given)
        body, gap, lines = whole.rpartition("\n\n")
        if not gap or not lines.endswith("\n"):
            raise _malformed("a text, an empty line and signature lines, each with its line feed, were expected")
        if lines.count("\n") > MOST_SIGNATURES:
            raise _malformed(f"it has more than {MOST_SIGNATURES} signatures")
        return cls(body + "\n", tuple(_signature(line) for line in lines[:-1].split("\n")), whole)

    def of(self, key: VerifyKey) -> list[bytes]:
        """Return the signatures that name this key."""
        return [each.raw for each in self.signatures if each.name == key.name and each.key_id == key.id]

    def signers(self, keys: Iterable[VerifyKey]) -> list[VerifyKey]:
        """Return those of the keys that signed it; raise CheckpointError `signature_bad` if a signature is not theirs.

        Signatures of all other keys are ignored.
        """
        found = []
        text = self.text.encode()
        for key in keys:
            signatures = self.of(key)
            if not all(key.is_signed(text, each) for each in signatures):
                raise CheckpointError("signature_bad", f"a signature is not that of the key {key.vkey}")
            if signatures:
                found.append(key)
        return found


def signed(text: str, keys: Iterable[SigningKey]) -> str:
    """Return the note of a text that these keys of a log sign."""
    return with_lines(f"{text}\n", (key.sign(text) for key in keys))


def with_lines(note: str, lines: Iterable[str]) -> str:
    """Return a note with more signature lines, such as those of witnesses."""
    return note + "".join(lines)


class Checkpoint(NamedTuple):
    """The content of a checkpoint: the log's origin, the size of its tree, and the root of it."""

    origin: str
    size: int
    root: bytes

    @classmethod
    def parse(cls, text: str, origin: str) -> Checkpoint:
        """Return the checkpoint of a note's text.

        Raises:
            CheckpointError: `wrong_origin` if it is another log's, `checkpoint_malformed` if it is not one.
        """
        lines = text.split("\n")
        if lines[0] != origin:
            raise CheckpointError("wrong_origin", f"the log is {lines[0]!r:.100}, not {origin!r:.100}")
        try:
            _, size, root, rest = lines
            found = cls(origin, from_decimal(size), hash_from(root))
        except ValueError:
            raise _no_checkpoint("three lines were expected: the origin, the size, and the root in base64") from None
        if rest or (found.size == 0 and found.root != EMPTY):
            raise _no_checkpoint("a tree without leaves has another root")
        return found

    def text(self) -> str:
        """Return the text that is signed."""
        return f"{self.origin}\n{self.size}\n{to_base64(self.root)}\n"


def _no_checkpoint(why: str) -> CheckpointError:
    return CheckpointError("checkpoint_malformed", why)


def _text(given: str | bytes) -> str:
    try:
        data = given.encode() if isinstance(given, str) else given
        whole = data.decode()
    except UnicodeError:
        raise _malformed("it is not UTF-8") from None
    if len(data) > LARGEST:
        raise _malformed(f"it has more than {LARGEST} bytes")
    if _CONTROL.search(whole):
        raise _malformed("it has a control character")
    return whole


def _signature(line: str) -> Signature:
    name, _, encoded = line.removeprefix(_DASH).partition(" ")
    try:
        data = from_base64(encoded)
    except ValueError:
        data = b""
    if not line.startswith(_DASH) or not is_key_name(name) or len(data) < 5:
        raise _malformed("a signature line is a dash, a name, and a key id with a signature in base64")
    return Signature(name, data[:4], data[4:])


def _malformed(why: str) -> CheckpointError:
    return CheckpointError("note_malformed", why)
