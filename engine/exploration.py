"""The record of an exploration, `nova-luna-exploration/1` (docs/FORMATS.md): how a game might have gone on.

It is a record with another format and the field `origin`, and its log begins with the entries of that game, chained
anew. So it is replayed as any record is, it proves which position of which game it went on from, and no program takes
it for a game.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine import State, Step, audit, forms, record
from engine.draw import Stream
from engine.errors import RecordError
from engine.moves import Mark, Timeout
from engine.record import Object, digest
from engine.tiles import COUNT

FORMAT = "nova-luna-exploration/1"

_FIELDS = frozenset({"game", "seq", "hash", "tiles"})


def header(origin: Object, id: str, seq: int, hashed: str, tiles: int) -> Object:
    """Return the header of an exploration.

    Args:
        origin: the header of the game that is explored.
        id: the id of the exploration.
        seq: the number of the last entry of that game that is kept; 0 for none.
        hashed: the hash of that entry; for 0, that of the game's header.
        tiles: how many tiles of the draw order are those of that game: 68, or fewer if the rest was drawn anew.
    """
    return {
        **origin,
        "format": FORMAT,
        "game": {**origin["game"], "id": id},
        "origin": {"game": origin["game"]["id"], "seq": seq, "hash": hashed, "tiles": tiles},
    }


def drawn_anew(tiles: Sequence[int], known: int, seed: bytes) -> tuple[int, ...]:
    """Return a draw order that begins with the first `known` of these tiles, and goes on as the seed shuffles the rest.

    The order of the rest does not matter, so the result says nothing about it.
    """
    rest = sorted(tiles[known:])
    return (*tiles[:known], *Stream(seed, "tiles").shuffle(rest))


def build(
    *, header: Object, names: Sequence[str | None], entries: Sequence[Object], state: State, server_seed: bytes | None
) -> Object:
    """Return the record of an exploration from its parts, as `engine.record.build` does."""
    built = record.build(header=header, names=names, entries=entries, state=state, server_seed=server_seed)
    return built | {"origin": header["origin"]}


def check_any(line: bytes) -> None:
    """Verify the line of one record, of a game or of an exploration, as `engine.audit.check` does.

    Raises:
        RecordError: the record is broken; the error says where and why.
    """
    given = forms.parse(line)
    if given.get("format") == FORMAT:
        _check(given)
    else:
        audit.check_end(given, audit.replayed(given))


def check(line: bytes) -> None:
    """Verify the line of one exploration.

    Raises:
        RecordError: it is broken, or the record of something else.
    """
    _check(forms.parse(line))


def _check(given: Object) -> None:
    as_game = {name: value for name, value in given.items() if name != "origin"}
    if "origin" not in given:
        raise RecordError("record", "an exploration lacks origin")
    if given["format"] != FORMAT:
        raise RecordError(0, f"the format is not {FORMAT}")
    forms.head(as_game | {"format": record.FORMAT})
    origin = _origin(given["origin"], given["game"]["id"])
    if given["draw"]["server_seed"] is not None and origin["tiles"] < COUNT:
        raise RecordError(0, "tiles were drawn anew, which follow from no seed, yet one is given", "draw")
    audit.settled(as_game)
    audit.check_end(as_game, _played(as_game, origin))


def _origin(value: Any, id: str) -> Object:
    origin = forms.fields(value, set(_FIELDS), 0, "the origin")
    for fact, why in (
        (isinstance(origin["game"], str) and origin["game"] not in ("", id), "its game is the id of another game"),
        (type(origin["seq"]) is int and origin["seq"] >= 0, "its seq is a number from 0"),
        (forms.is_hash(origin["hash"]), "its hash is 64 hex digits in lower case"),
        (type(origin["tiles"]) is int and 11 <= origin["tiles"] <= COUNT, f"its tiles are 11 to {COUNT}"),
    ):
        if not fact:
            raise RecordError(0, f"the origin: {why}")
    return origin


def _played(given: Object, origin: Object) -> State:
    """Play the log of an exploration, verify that it begins with that of its origin, and return its last state."""
    whole = audit.header(given)
    chain = _Chain(whole | {"format": record.FORMAT, "game": {**given["game"], "id": origin["game"]}}, origin)
    chain.check(0)

    def follow(step: Step) -> None:
        entry = given["log"][chain.seq]
        if chain.seq < origin["seq"]:
            chain.add(entry)
            return
        chain.seq += 1
        if isinstance(step.move, Mark | Timeout) or entry.get("by") == "host":
            raise RecordError(chain.seq, "what is explored has no marks, no timeouts and no host", "origin")

    state = audit.play(given, whole | {"origin": origin}, follow, clocked=origin["seq"])
    if chain.seq < origin["seq"]:
        raise RecordError(0, f"the log has no entry {origin['seq']}, at which the origin was left", "origin")
    return state


class _Chain:
    """The chain of the game that is explored, as far as it is kept."""

    def __init__(self, whole: Object, origin: Object) -> None:
        self.seq, self._head, self._origin = 0, digest(whole), origin

    def add(self, entry: Object) -> None:
        """Follow the chain by one more entry."""
        self.seq += 1
        body = {name: value for name, value in entry.items() if name != "hash"}
        self._head = digest(body | {"prev": self._head})
        self.check(self.seq)

    def check(self, seq: int) -> None:
        """Refuse another hash than the origin's at its last entry."""
        if seq == self._origin["seq"] and self._head != self._origin["hash"]:
            raise RecordError(0, f"entries 1 to {seq} are not those of the origin", "origin")
