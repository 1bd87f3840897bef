"""Read and write a proof bundle, `nova-luna-proof/1`: all that one needs, beside a record and a policy, to verify."""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple, NoReturn

from service.checkpoints.errors import CheckpointError

FORMAT: Final = "nova-luna-proof/1"
LARGEST: Final = 64 * 1024 * 1024
"""The number of bytes that a bundle may have."""

_FIELDS = {"format", "proofs", "consistency"}


class Bundle(NamedTuple):
    """The texts of proofs, and of proofs of consistency."""

    proofs: tuple[str, ...]
    consistency: tuple[str, ...] = ()

    @classmethod
    def parse(cls, data: bytes) -> Bundle:
        """Return a bundle; raise CheckpointError `bundle_malformed` if the bytes are not a bundle."""
        if len(data) > LARGEST:
            raise _malformed(f"it has more than {LARGEST} bytes")
        try:
            value = json.loads(data.decode(), parse_constant=_refuse, parse_float=_refuse, parse_int=_refuse)
        except (ValueError, RecursionError):
            raise _malformed("it is not JSON in UTF-8 that has nothing but texts") from None
        return cls.from_json(value)

    @classmethod
    def from_json(cls, value: Any) -> Bundle:
        """Return the bundle in a JSON value; raise CheckpointError `bundle_malformed` if it has none."""
        if not isinstance(value, dict) or set(value) != _FIELDS or value["format"] != FORMAT:
            raise _malformed(f"a bundle is an object with format, which is {FORMAT!r}, proofs and consistency alone")
        for name in ("proofs", "consistency"):
            texts = value[name]
            if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
                raise _malformed(f"{name} is a list of texts")
        if not value["proofs"]:
            raise _malformed("it has no proof")
        return cls(tuple(value["proofs"]), tuple(value["consistency"]))

    def to_json(self) -> dict[str, Any]:
        """Return the bundle as a JSON object."""
        return {"format": FORMAT, "proofs": list(self.proofs), "consistency": list(self.consistency)}


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"{text:.20} is no text")


def _malformed(why: str) -> CheckpointError:
    return CheckpointError("bundle_malformed", why)
