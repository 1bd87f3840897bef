"""The vectors of checkpoints, `tests/data/checkpoint-vectors.json`, and the tree that their cases speak of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from service.checkpoints import merkle
from service.checkpoints.encoding import from_base64, to_base64
from service.checkpoints.errors import CheckpointError
from service.checkpoints.verifying import Known

FILE = Path(__file__).parents[1] / "data" / "checkpoint-vectors.json"

VECTORS: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
CASES: list[dict[str, Any]] = VECTORS["cases"]
POLICY: str = VECTORS["policy"]
RECORDS: dict[str, dict[str, Any]] = VECTORS["records"]

MADE = 70_000
"""The size of the tree whose tiles the vectors have."""


def cases(*kinds: str) -> list[dict[str, Any]]:
    """Return the cases of some kinds."""
    return [case for case in CASES if case["kind"] in kinds]


def case(name: str) -> dict[str, Any]:
    """Return the case of this name."""
    return next(each for each in CASES if each["name"] == name)


def made_entry(number: int) -> bytes:
    """Return an entry of the tree that the vectors call made."""
    return hashlib.sha512(b"entry %d" % number).digest()


def made_leaves(count: int, start: int = 0) -> Iterator[bytes]:
    """Yield the hashes of its leaves."""
    return (merkle.leaf_hash(made_entry(number)) for number in range(start, start + count))


def known_of(case: dict[str, Any]) -> Known | None:
    """Return the checkpoint that a case says somebody has kept."""
    known = case.get("known")
    return None if known is None else Known(known["size"], from_base64(known["root"]))


def known_json(known: Known) -> dict[str, Any]:
    """Return a checkpoint as the vectors write it."""
    return {"size": known.size, "root": to_base64(known.root)}


def outcome(run: Callable[[], Any]) -> dict[str, Any]:
    """Return the result of a call, in the words of the vectors."""
    try:
        return {"ok": run()}
    except CheckpointError as error:
        return {"refused": error.code}
