"""Sign, and check signatures, with Ed25519 keys of logs and of witnesses (C2SP signed-note and tlog-cosignature)."""

from __future__ import annotations

import hashlib
import re
from typing import Final, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from service.checkpoints.encoding import from_base64, is_key_name, to_base64

LOG: Final = 1
WITNESS: Final = 4
SEED_BYTES: Final = 32

_KEY_ID = re.compile(r"[0-9a-f]{8}")
_SIGNATURE_BYTES = 64
_TIME_BYTES = 8


class VerifyKey(NamedTuple):
    """A public key: its name, its kind (`LOG` or `WITNESS`), and its 32 bytes."""

    name: str
    kind: int
    public: bytes

    @classmethod
    def parse(cls, text: str) -> VerifyKey:
        """Return the key that a vkey describes; raise ValueError if it is none, or its key id is another key's."""
        name, _, rest = text.partition("+")
        key_id, _, encoded = rest.partition("+")
        if not is_key_name(name) or not _KEY_ID.fullmatch(key_id):
            raise ValueError("a vkey is a name, a key id of 8 hex digits and a key in base64, joined by +")
        data = from_base64(encoded)
        if len(data) != 1 + SEED_BYTES or data[0] not in (LOG, WITNESS):
            raise ValueError("the key is not an Ed25519 key of a log (type 1) or of a witness (type 4)")
        key = cls(name, data[0], data[1:])
        if key.id.hex() != key_id:
            raise ValueError(f"the key id is {key.id.hex()}, not {key_id}")
        return key

    @property
    def id(self) -> bytes:
        """The key id: the four bytes that signatures name it by."""
        return hashlib.sha256(self.name.encode() + b"\n" + self._encoded).digest()[:4]

    @property
    def vkey(self) -> str:
        """The key as a C2SP vkey."""
        return f"{self.name}+{self.id.hex()}+{to_base64(self._encoded)}"

    @property
    def _encoded(self) -> bytes:
        return bytes([self.kind]) + self.public

    def is_signed(self, text: bytes, signature: bytes) -> bool:
        """Return whether this key made a signature of a text; that of a witness begins with its time."""
        if self.kind == WITNESS:
            time = signature[:_TIME_BYTES]
            text, signature = _cosigned(text, int.from_bytes(time, "big")), signature[_TIME_BYTES:]
            if len(time) != _TIME_BYTES:
                return False
        if len(signature) != _SIGNATURE_BYTES:
            return False
        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signature, text)
        except (InvalidSignature, ValueError):
            return False
        return True


class SigningKey:
    """The secret key of a log or of a witness.

    Args:
        name: its name; that of a log's key is the log's origin.
        seed: 32 bytes.
        kind: `LOG` or `WITNESS`.
    """

    def __init__(self, name: str, seed: bytes, kind: int = LOG) -> None:
        if not is_key_name(name):
            raise ValueError("the name of a key is not empty, and has no spaces and no +")
        self._key = Ed25519PrivateKey.from_private_bytes(seed)
        self.public = VerifyKey(name, kind, self._key.public_key().public_bytes_raw())

    def sign(self, text: str) -> str:
        """Return the signature line of a log for a note's text, which ends in a line feed."""
        return self._line(self._key.sign(text.encode()))

    def cosign(self, text: str, time: int) -> str:
        """Return the signature line of a witness for a checkpoint's text, at a time in seconds since 1970."""
        return self._line(time.to_bytes(_TIME_BYTES, "big") + self._key.sign(_cosigned(text.encode(), time)))

    def _line(self, signature: bytes) -> str:
        return f"— {self.public.name} {to_base64(self.public.id + signature)}\n"


def _cosigned(text: bytes, time: int) -> bytes:
    return b"cosignature/v1\ntime %d\n" % time + text
