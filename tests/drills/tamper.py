"""Spoils records: one value changed, one field or item more or less, or one byte of the spelling changed.

Nothing here looks into what the changed value means; each change is one that no verifier may let pass. Players are
left out: their names are not hashed, so that they can be erased.
"""

import json
import string
from collections import Counter, defaultdict
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

import rfc8785

from tests.oracle.record import digest, header_hash

Path = tuple[str | int, ...]


class Spoiled(NamedTuple):
    """A spoiled line; what was changed, for the reader; and where the audit must say it is broken, if that's sure."""

    line: bytes
    what: str
    where: int | str | None


def line_of(record: dict[str, Any]) -> bytes:
    """The record in its one spelling."""
    return rfc8785.dumps(record) + b"\n"


def leaves(value: object, path: Path = ()) -> Iterator[Path]:
    """The paths of all single values, outside players."""
    if path == ("players",):
        return
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from leaves(value[key], (*path, key))
    else:
        yield path


def kind_of(path: Path) -> str:
    """Which kind of leaf this is: the same for each entry of the log and each item of a list."""
    return ".".join("*" if isinstance(key, int) else key for key in path)


def where_of(path: Path) -> int | str:
    """Where a change is to be reported: the entry in the log, the result, or entry 0 for all that stands before."""
    if path[0] == "log":
        return int(path[1]) + 1
    return "result" if path[0] == "result" else 0


def at(record: dict[str, Any], path: Path) -> Any:
    """The value at a path."""
    value: Any = record
    for key in path:
        value = value[key]
    return value


def another_value(value: object, random: Random) -> object:
    """Another value in the place of this one: mostly of its sort, now and then of another."""
    others: list[object]
    if isinstance(value, int):
        others = [value + 1, value - 1, -value, random.randrange(100), value + 2**32]
        others += [None, str(value), bool(value), [value]]
    elif isinstance(value, str):
        others = [another_text(value, random) for _ in range(6)]
        others += [value + " ", value[:-1], value.swapcase(), None, 0, {}]
    else:
        others = [0, 1, "", False, [], {}]
    # Compared as spelled, because in Python True == 1.
    return random.choice([other for other in others if json.dumps(other) != json.dumps(value)])


def another_text(text: str, random: Random) -> str:
    """The text with one character changed into another of its class, so that it stays plausible."""
    if not text:
        return random.choice(string.ascii_letters)
    index = random.randrange(len(text))
    classes = ("0123456789abcdef", string.digits, string.ascii_letters)
    alphabet = random.choice([letters for letters in classes if text[index] in letters] or [" -_~"])
    return text[:index] + random.choice([c for c in alphabet if c != text[index]]) + text[index + 1 :]


def value_changed(line: bytes, random: Random, reached: Counter[str]) -> Spoiled:
    """One leaf changed, of the kind that was reached the least so far."""
    record = json.loads(line)
    paths = list(leaves(record))
    kind = min(sorted({kind_of(path) for path in paths}), key=lambda kind: reached[kind])
    reached[kind] += 1
    path = random.choice([path for path in paths if kind_of(path) == kind])
    before = at(record, path)
    after = another_value(before, random)
    at(record, path[:-1])[path[-1]] = after
    return Spoiled(line_of(record), f"{path}: {before!r} to {after!r}", where_of(path))


def forged(line: bytes, random: Random) -> Spoiled:
    """One leaf changed, and the chain made again, so that only the draw, the rules and the result can tell.

    It can be a record that holds: another time, another id, another cell as good as the first. The names of bots and
    of marks are let alone, because their form is the engine's own affair.
    """
    record = json.loads(line)
    unfit = {"log.*.prev", "log.*.hash", "log.*.by", "log.*.move.kind"}
    by_kind = defaultdict(list)
    for path in leaves(record):
        by_kind[kind_of(path)].append(path)
    path = random.choice(by_kind[random.choice(sorted(set(by_kind) - unfit))])
    before = at(record, path)
    after = another_value(before, random)
    at(record, path[:-1])[path[-1]] = after
    prev = header_hash(record)
    for entry in record["log"]:
        entry["prev"] = prev
        entry["hash"] = prev = digest({name: value for name, value in entry.items() if name != "hash"})
    return Spoiled(line_of(record), f"{path}: {before!r} to {after!r}, chained again", None)


def shape_changed(line: bytes, random: Random) -> Spoiled:
    """One field or item of an object or a list left out, or one more."""
    record = json.loads(line)
    path = random.choice([path for path in leaves(record) if len(path) > 1])
    path = path[: random.randrange(1, len(path) + 1)]
    holder, key = at(record, path[:-1]), path[-1]
    where: Any = key
    if random.random() < 0.5:
        del holder[key]
        what = "left out"
    elif isinstance(holder, list):
        holder.insert(where, holder[where])
        what = "twice"
    else:
        holder[f"{key}_"] = holder[key]
        what = "twice, with _"
    return Spoiled(line_of(record), f"{path} {what}", None)


def byte_changed(line: bytes, random: Random) -> Spoiled:
    """One byte changed, left out or put in, not within players; or one blank put in there."""
    start, end = line.rindex(b'"players":['), line.rindex(b',"result":')
    outside = [index for index in range(len(line)) if not start <= index < end]
    index = random.choice(outside)
    how = random.choice(["changed", "left out", "put in", "blank among the players", "upper case"])
    if how == "changed":
        spoiled = line[:index] + bytes([random.choice([b for b in range(256) if b != line[index]])]) + line[index + 1 :]
    elif how == "left out":
        spoiled = line[:index] + line[index + 1 :]
    elif how == "put in":
        spoiled = line[:index] + random.choice([b" ", b"\t", b"\r", b"\n", b"0", b"a", b"\x00"]) + line[index:]
    elif how == "blank among the players":
        index = line.index(b"{", start)
        spoiled = line[:index] + b" " + line[index:]
    else:
        index = random.choice([index for index in outside if line[index : index + 1].islower()])
        spoiled = line[:index] + line[index : index + 1].upper() + line[index + 1 :]
    return Spoiled(spoiled, f"byte {index} {how}", None)
