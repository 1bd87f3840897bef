"""Read and write the file in which a witness keeps what it knows of a log, `nova-luna-witness/1`."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

from engine.moves import MOST
from engine.record import moment
from service.checkpoints.encoding import hash_from, is_unicode, to_base64
from service.checkpoints.merkle import EMPTY
from service.checkpoints.verifying import Known

FORMAT: Final = "nova-luna-witness/1"
LARGEST: Final = 16 * 1024 * 1024
"""The number of bytes that such a file may have."""

_FIELDS = {"format", "policy", "known", "note", "seen"}


@dataclass(frozen=True, slots=True)
class WitnessFile:
    """The knowledge of a witness.

    Attributes:
        policy: the text of the policy by which it checks the log.
        known: the newest checkpoint.
        note: its note.
        seen: all checkpoints that it has seen, oldest first, each with the time.
    """

    policy: str
    known: Known
    note: str
    seen: list[tuple[Known, str]] = field(default_factory=list)

    @classmethod
    def parse(cls, data: bytes) -> WitnessFile:
        """Return the knowledge in some bytes; raise ValueError if they are no such file."""
        value = _json(data)
        if not isinstance(value, dict) or set(value) != _FIELDS or value["format"] != FORMAT:
            raise ValueError(f"this is not a file of a witness, {FORMAT}")
        policy, note, seen = value["policy"], value["note"], value["seen"]
        if not isinstance(seen, list) or not all(isinstance(text, str) and is_unicode(text) for text in (policy, note)):
            raise ValueError("policy and note are texts, and seen is a list")
        return cls(policy, _known(value["known"]), note, [_sighting(each) for each in seen])

    def text(self) -> str:
        """Return the content of the file."""
        seen = [_to_json(known) | {"at": at} for known, at in self.seen]
        value = {
            "format": FORMAT,
            "policy": self.policy,
            "known": _to_json(self.known),
            "note": self.note,
            "seen": seen,
        }
        return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def known_from(data: bytes) -> Known:
    """Return the checkpoint that somebody has kept; raise ValueError if the bytes hold none.

    They are a JSON object of a size and a root, or a witness's file.
    """
    value = _json(data)
    if isinstance(value, dict) and value.get("format") == FORMAT:
        value = value.get("known")
    return _known(value)


def _to_json(known: Known) -> dict[str, Any]:
    return {"size": known.size, "root": to_base64(known.root)}


def _known(value: Any) -> Known:
    wrong = ValueError('a checkpoint is a size and a root, {"size": 1280, "root": "…"}, with 32 bytes in base64')
    if not isinstance(value, dict) or set(value) != {"size", "root"}:
        raise wrong
    size, root = value["size"], value["root"]
    if type(size) is not int or not 0 <= size <= MOST or not isinstance(root, str):
        raise wrong
    try:
        found = Known(size, hash_from(root))
    except ValueError:
        raise wrong from None
    if size == 0 and found.root != EMPTY:
        raise ValueError("a tree without leaves has another root")
    return found


def _sighting(value: Any) -> tuple[Known, str]:
    if not isinstance(value, dict) or not isinstance(value.get("at"), str):
        raise ValueError("each checkpoint in seen has its time in at")
    moment(value["at"])
    return _known({name: part for name, part in value.items() if name != "at"}), value["at"]


def _json(data: bytes) -> Any:
    if len(data) > LARGEST:
        raise ValueError(f"it has more than {LARGEST} bytes")
    try:
        return json.loads(data.decode(), parse_float=_number, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise ValueError("it is not JSON in UTF-8") from None


def _number(text: str) -> int | float:
    """Return the number of a text as JavaScript reads it, where 256.0 is 256."""
    number = float(text)
    return int(number) if number.is_integer() else number


def _no_number(text: str) -> NoReturn:
    raise ValueError(text)
