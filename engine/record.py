"""The record, `nova-luna-record/1` (docs/FORMATS.md), which exports, audits and third parties exchange.

A record is written as the RFC 8785 bytes of one JSON object and a line feed. Its keys are ASCII and its numbers whole,
so RFC 8785 is what `json.dumps` returns with sorted keys, no white space and only the necessary escapes.

Its log is a chain: every entry holds the hash of the one before it, and the first one that of the header (entry 0).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from engine import State, rules
from engine.draw import ALGORITHM
from engine.moves import Move, to_json
from engine.result import Result

FORMAT = "nova-luna-record/1"

_STAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z")

Object = dict[str, Any]
"""A JSON object."""

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


def canonical(value: Any) -> bytes:
    """Return the RFC 8785 bytes of a value with ASCII keys and whole numbers."""
    return _encode(value).encode()


def digest(value: Any) -> str:
    """Return the SHA-256 of a value's canonical bytes, in hex."""
    return hashlib.sha256(canonical(value)).hexdigest()


def stamp(at: datetime) -> str:
    """Return a time as a record writes it: UTC, milliseconds (truncated), 24 characters.

    >>> stamp(datetime(2026, 11, 27, 20, 56, 0, 123999, tzinfo=UTC))
    '2026-11-27T20:56:00.123Z'
    """
    text = at.isoformat(timespec="milliseconds")
    if not text.endswith("+00:00"):
        text = at.astimezone(UTC).isoformat(timespec="milliseconds")
    return text[:23] + "Z"


def moment(text: str) -> datetime:
    """Return the time that a record's text stands for; raise ValueError for any other spelling."""
    if not _STAMP.fullmatch(text):
        raise ValueError(f"A time is written as 2026-11-27T20:56:00.123Z, not {text!r:.40}.")
    return datetime.fromisoformat(text)


def header(
    *,
    game: str,
    kind: str,
    goal_discs: int,
    created_at: str,
    started_at: str,
    subject: str,
    commitment: str,
    entropy: Sequence[str],
    stack: Sequence[int],
    version: str | None = None,
) -> Object:
    """Return a record's header, which counts as entry 0: everything that is settled when the game starts.

    There are as many seats as `entropy` has texts. `version` is that of the rules by
    which the game is played; None is for the newest.
    """
    return {
        "format": FORMAT,
        "rules": rules.newest().version if version is None else version,
        "game": {
            "id": game,
            "kind": kind,
            "seats": len(entropy),
            "goal_discs": goal_discs,
            "created_at": created_at,
            "started_at": started_at,
        },
        "draw": {
            "algorithm": ALGORITHM,
            "subject": subject,
            "commitment": commitment,
            "entropy": list(entropy),
            "stack": list(stack),
        },
    }


def entry(seq: int, at: str, seat: int | None, move: Move, by: str | None, prev: str) -> Object:
    """Return one entry of the log with its hash; `by` is who acted if not the player: "bot:…" or "host"."""
    body: Object = {"seq": seq, "at": at, "seat": seat, "move": to_json(move), "prev": prev}
    if by:
        body["by"] = by
    return body | {"hash": digest(body)}


def start(header: Object, tiles: Sequence[int]) -> State:
    """Return the state at the start of the game that a header describes, by the rules of its version.

    `tiles` are all 68, or as far as shown.

    Raises:
        SetupError: there is no such game.
        UnknownRules: there are no rules of its version here.
    """
    game, played = header["game"], rules.of(header["rules"])
    if game["kind"] == "solo":
        return played.solo(tiles)
    return played.match(game["seats"], game["goal_discs"], tiles, header["draw"]["stack"])


def build(
    *,
    header: Object,
    names: Sequence[str | None],
    entries: Iterable[Object],
    state: State,
    server_seed: bytes | None,
) -> Object:
    """Return the whole record of a game from its header, the names by seat, the log's entries, and the final state.

    `server_seed` is given once the draw is closed; otherwise the record has only the tiles that were shown so far.
    """
    result: Result | None = state.result
    return assemble(
        header=header,
        names=names,
        entries=entries,
        tiles=state.wheel.tiles if server_seed is not None else state.wheel.tiles[: state.wheel.shown],
        server_seed=server_seed,
        result=None if result is None else result.to_json(),
    )


def assemble(
    *,
    header: Object,
    names: Sequence[str | None],
    entries: Iterable[Object],
    tiles: Sequence[int],
    server_seed: bytes | None,
    result: Object | None,
) -> Object:
    """Return a record from its parts, as `build` does, with the tiles that it shows and its result."""
    return {
        "format": header["format"],
        "rules": header["rules"],
        "game": header["game"],
        "players": [{"seat": seat, "name": name} for seat, name in enumerate(names)],
        "draw": header["draw"]
        | {
            "server_seed": server_seed.hex() if server_seed is not None else None,
            "tiles": list(tiles),
        },
        "log": list(entries),
        "result": result,
    }


def line(record: Object) -> bytes:
    """Return the bytes of a record: its RFC 8785 form and a line feed."""
    return canonical(record) + b"\n"
