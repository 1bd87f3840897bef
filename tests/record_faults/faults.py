"""The faults: what each changes in a record, and how a verifier must refuse it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from typing import Any, NamedTuple

from engine.record import Object, canonical, digest

HEADER_DRAW = ("algorithm", "subject", "commitment", "entropy", "stack")


class Fault(NamedTuple):
    """A record's line with one fault.

    Attributes:
        why: what was changed, in which game.
        line: the line, with its line feed if it has one.
        code: the code that a verifier must give.
        entry: the entry that it must name; None for none.
    """

    why: str
    line: str
    code: str
    entry: int | None


def header_of(record: Object) -> Object:
    """Return the part of a record that counts as entry 0."""
    names = ("format", "rules", "game")
    return {name: record[name] for name in names} | {"draw": {name: record["draw"][name] for name in HEADER_DRAW}}


def chain(record: Object) -> Object:
    """Renew all hashes of a record and return it."""
    prev = digest(header_of(record))
    for entry in record["log"]:
        entry["prev"] = prev
        prev = entry["hash"] = digest({name: value for name, value in entry.items() if name != "hash"})
    return record


_Change = Callable[[Any], object]


def _set(path: str, value: Any) -> _Change:
    """Return a change that sets the value at a path such as `game.seats`."""

    def change(record: Any) -> None:
        *names, last = path.split(".")
        for name in names:
            record = record[int(name) if isinstance(record, list) else name]
        record[int(last) if isinstance(record, list) else last] = value

    return change


def _drop(path: str) -> _Change:
    """Return a change that removes the field or item at a path."""

    def change(record: Any) -> None:
        *names, last = path.split(".")
        for name in names:
            record = record[int(name) if isinstance(record, list) else name]
        del record[int(last) if isinstance(record, list) else last]

    return change


HEADERS: dict[str, _Change] = {
    "another format": _set("format", "nova-luna-record/2"),
    "another rules version": _set("rules", 1),
    "no id": _set("game.id", ""),
    "an id that is a number": _set("game.id", 7),
    "another kind": _set("game.kind", "duel"),
    "5 seats": _set("game.seats", 5),
    "seats that are true": _set("game.seats", True),
    "4 goal discs": _set("game.goal_discs", 4),
    "22 goal discs": _set("game.goal_discs", 22),
    "a date that does not exist": _set("game.created_at", "2026-02-29T00:00:00.000Z"),
    "hour 24": _set("game.created_at", "2026-11-26T24:00:00.000Z"),
    "the year 0": _set("game.created_at", "0000-11-26T00:00:00.000Z"),
    "no milliseconds": _set("game.started_at", "2026-11-27T21:56:00Z"),
    "a time of another zone": _set("game.started_at", "2026-11-27T21:56:00.000+00:00"),
    "created after it started": _set("game.created_at", "2026-11-27T21:56:00.001Z"),
    "a field of the game left out": _drop("game.kind"),
    "a field of the game that there is not": _set("game.clock", None),
    "another algorithm": _set("draw.algorithm", "nova-luna-draw/2"),
    "a subject that is null": _set("draw.subject", None),
    "a commitment in capitals": _set("draw.commitment", "A" * 64),
    "a text of a player too many": lambda record: record["draw"]["entropy"].append(""),
    "a text of a player with an umlaut": _set("draw.entropy.0", "ü"),
    "a text of a player of 65 characters": _set("draw.entropy.0", "x" * 65),
    "a seat twice in the starting pile": lambda record: record["draw"]["stack"].append(0),
    "a tile twice": lambda record: record["draw"]["tiles"].append(record["draw"]["tiles"][0]),
    "tile 69": _set("draw.tiles.0", 69),
    "a tile that is a text": lambda record: _set("draw.tiles.0", str(record["draw"]["tiles"][0]))(record),
    "10 tiles": lambda record: _set("draw.tiles", record["draw"]["tiles"][:10])(record),
    "a seed that is too short": _set("draw.server_seed", "00"),
}
"""Changes that the header's own form does not allow; the chain is renewed after them."""

SHAPES: dict[str, tuple[_Change, str]] = {
    "no result": (_drop("result"), "record"),
    "a field too many": (_set("note", ""), "record"),
    "a log that is an object": (_set("log", {}), "record"),
    "a player too many": (lambda record: record["players"].append({"seat": 3, "name": None}), "players"),
    "a name that is a number": (_set("players.0.name", 7), "players"),
    "a name left out": (_drop("players.0.name"), "players"),
    "a player's seat that is another's": (_set("players.0.seat", 1), "players"),
    "a player with an address": (_set("players.0.email", "a@b.example"), "players"),
}

ENTRIES: dict[str, _Change] = {
    "another seq": _set("seq", 9),
    "a seq that is a text": lambda entry: _set("seq", str(entry["seq"]))(entry),
    "a date that does not exist": _set("at", "2026-11-31T00:00:00.000Z"),
    "second 60": _set("at", "2026-11-27T23:59:60.000Z"),
    "seat 4": _set("seat", 4),
    "a seat that is false": _set("seat", False),
    "no seat": _set("seat", None),
    "by null": _set("by", None),
    "by a person": _set("by", "Ann"),
    "by a bot without a name": _set("by", "bot:"),
    "by a bot with a name too long": _set("by", "bot:" + "x" * 61),
    "by a bot with a space in its name": _set("by", "bot:a b"),
    "a move that is null": _set("move", None),
    "a move that there is not": _set("move", {"type": "pass"}),
    "a refill with a tile": _set("move", {"type": "refill", "tile": 1}),
    "a placement without y": _set("move", {"type": "place", "tile": 1, "x": 0}),
    "a placement of tile 0": _set("move", {"type": "place", "tile": 0, "x": 0, "y": 0}),
    "a placement at a text": _set("move", {"type": "place", "tile": 1, "x": "0", "y": 0}),
    "a mark without a kind": _set("move", {"type": "mark"}),
    "a mark with a space in its kind": _set("move", {"type": "mark", "kind": "a b"}),
    "a mark with a kind too long": _set("move", {"type": "mark", "kind": "x" * 65}),
    "a mark with data null": _set("move", {"type": "mark", "kind": "x", "data": None}),
    "a mark with a key that is not ASCII": _set("move", {"type": "mark", "kind": "x", "data": {"é": 1}}),
    "a mark with data too deep": _set("move", {"type": "mark", "kind": "x", "data": [[[[[[[[1]]]]]]]]}),
    "a timeout by a bot": lambda entry: entry.update(move={"type": "timeout"}, by="bot:greedy"),
    "a timeout by the host": lambda entry: entry.update(move={"type": "timeout"}, by="host"),
    "a resignation by the host": lambda entry: entry.update(move={"type": "resign"}, by="host"),
    "an end with a seat": lambda entry: entry.update(move={"type": "end"}, seat=0),
    "an end by a bot": lambda entry: entry.update(move={"type": "end"}, seat=None, by="bot:greedy"),
    "the host's mark with a seat": lambda entry: entry.update(move={"type": "mark", "kind": "x"}, seat=0, by="host"),
    "a player's mark without a seat": lambda entry: entry.update(move={"type": "mark", "kind": "x"}, seat=None),
    "a field that there is not": _set("note", 1),
    "a move whose type is a list": _set("move", {"type": ["resign"]}),
    "a move whose type is an object": _set("move", {"type": {"toString": 1}}),
    "a mark whose type is a list": _set("move", {"type": ["mark"], "kind": "x"}),
    "a seat that is a list": lambda entry: _set("seat", [entry["seat"]])(entry),
    "a time that is a list": lambda entry: _set("at", [entry["at"]])(entry),
    "a by that is a list": _set("by", ["host"]),
    "a mark whose kind is a list": _set("move", {"type": "mark", "kind": ["x"]}),
}
"""Changes that the form of an entry does not allow; the chain is renewed after them."""

RULES: dict[str, _Change] = {
    "a cell that is not open": lambda entry: entry["move"].update(x=5, y=5),
    "a cell far away": lambda entry: entry["move"].update(x=2**53 - 1),
    "a refill that is not allowed": _set("move", {"type": "refill"}),
}
"""Changes of entry 1, a placement, that the rules do not allow; the chain is renewed after them."""


def faults(record: Object, turn: int) -> Iterator[Fault]:
    """Yield the faults of one game; of those in a field, three of five, beginning with another one at each `turn`."""
    name, log = record["game"]["id"], record["log"]

    def some(changes: Mapping[str, _Change]) -> Iterator[tuple[str, _Change]]:
        return (item for number, item in enumerate(changes.items()) if (number + turn) % 5 < 3)

    def fault(why: str, changed: Object, code: str, entry: int | None) -> Fault:
        return Fault(f"{name}: {why}", canonical(changed).decode() + "\n", code, entry)

    for why, change in some(HEADERS):
        changed = deepcopy(record)
        change(changed)
        yield fault(why, chain(changed) if "left out" not in why else changed, "header", 0)
    for why, (change, code) in SHAPES.items():
        changed = deepcopy(record)
        change(changed)
        yield fault(why, changed, code, None)
    for number, (why, change) in enumerate(some(ENTRIES)):
        changed, seq = deepcopy(record), number % len(log) + 1
        if why == "another seq" or changed["log"][seq - 1]["seat"] is None:
            seq = 1
        changed["log"][seq - 1].pop("by", None)
        change(changed["log"][seq - 1])
        yield fault(f"{why} in entry {seq}", chain(changed), "entry", seq)
    for why, change in RULES.items():
        changed = deepcopy(record)
        change(changed["log"][0])
        yield fault(why, chain(changed), "rules", 1)
    yield from _others(record, fault)


def _others(record: Object, fault: Callable[[str, Object, str, int | None], Fault]) -> Iterator[Fault]:
    """Yield the faults in the chain, the times, the draw, the result and the spelling."""
    over, log = record["result"] is not None, record["log"]
    last = len(log)

    def changed(path: str, value: Any) -> Object:
        other = deepcopy(record)
        _set(path, value)(other)
        return other

    yield fault("another id, without a new chain", changed("game.id", "other"), "chain", 0)
    yield fault("another hash", changed("log.1.hash", "0" * 64), "chain", 2)
    yield fault("another time, without a new chain", changed("log.1.at", log[2]["at"]), "chain", 2)
    yield fault("an entry left out", _without(record, 1), "entry", 2)
    yield fault("a time that goes back", chain(changed(f"log.{last - 1}.at", log[0]["at"])), "time", last)
    early = record["game"]["created_at"]
    yield fault("a time before the start", chain(changed("log.0.at", early)), "time", 1)
    if over:
        after = deepcopy(record)
        mark = {"type": "mark", "kind": "late"}
        after["log"].append({"seq": last + 1, "at": log[-1]["at"], "seat": 0, "move": mark, "prev": "", "hash": ""})
        yield fault("a mark after the end", chain(after), "rules", last + 1)
        yield fault("a result that is null", changed("result", None), "result", None)
        yield fault("another reason", changed("result.reason", "discs"), "result", None)
        discs = [number - 1 for number in record["result"]["discs_left"]]
        yield fault("other discs", changed("result.discs_left", discs), "result", None)
    else:
        yield fault("a seed in a running game", changed("draw.server_seed", "0" * 64), "draw", 0)
        ended = {"reason": "ended", "discs_left": [20], "ranking": None}
        yield fault("a result of a running game", changed("result", ended), "result", None)
    tiles = record["draw"]["tiles"]
    swapped = [tiles[1], tiles[0], *tiles[2:]]
    if _seed(record):
        yield fault("another seed", changed("draw.server_seed", "0" * 64), "draw", 0)
        yield fault("two tiles swapped", changed("draw.tiles", swapped), "draw", 0)
        yield fault("no seed", changed("draw.server_seed", None), "draw", 0)
    else:
        more = next(tile for tile in range(1, 69) if tile not in tiles)
        yield fault("a tile too many", changed("draw.tiles", [*tiles, more]), "draw", 0)
        placed = log[0]["move"]["tile"]
        others = [more if tile == placed else tile for tile in tiles]
        yield fault("a tile that is placed is not in the list", changed("draw.tiles", others), "draw", 0)
    good = canonical(record).decode()
    for why, line in {
        "no line feed": good,
        "a carriage return": good + "\r\n",
        "a space": good.replace(",", ", ", 1) + "\n",
        "an escape": good.replace("nova-luna-record", "nova\\u002dluna-record") + "\n",
        "a field twice": good.replace('"log":', '"log":[],"log":') + "\n",
        "another order": good.replace('"format":"nova-luna-record/1",', "", 1)[:-1]
        + ',"format":"nova-luna-record/1"}\n',
        "a fraction": good.replace('"goal_discs":2', '"goal_discs":2.5,"x":2') + "\n",
        "a number with an exponent": good.replace('"seq":1}', '"seq":1e0}') + "\n",
        "a number beyond 2^53 - 1": good.replace('"seq":1}', '"seq":9007199254740992}') + "\n",
        "half a character": good.replace('"thanks"', '"\\ud800"') + "\n",
        "not JSON": good[:-1] + "\n",
    }.items():
        yield Fault(f"{record['game']['id']}: {why}", line, "spelling", None)


def _seed(record: Object) -> bool:
    return record["draw"]["server_seed"] is not None


def _without(record: Object, index: int) -> Object:
    other = deepcopy(record)
    del other["log"][index]
    return other
