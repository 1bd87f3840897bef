"""Tamper with records: change one value, add or remove one field or item, or change one byte of the spelling.

The code does not know what a value means; each change is one that no verifier may accept. Players are left out: their
names are not hashed, so that they can be erased.
"""

import json
import string
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from random import Random
from typing import Any, NamedTuple

import rfc8785

from tests.oracle.record import digest, header_hash

Path = tuple[str | int, ...]


class Tampered(NamedTuple):
    """A tampered line, a description of the change, and where the audit must report it, if that is certain."""

    line: bytes
    what: str
    where: int | str | None


def line_of(record: dict[str, Any]) -> bytes:
    """Return the line of a record."""
    return rfc8785.dumps(record) + b"\n"


def leaves(value: object, path: Path = ()) -> Iterator[Path]:
    """Yield the paths of all single values, empty lists and objects among them, except those of players."""
    if path == ("players",):
        return
    if isinstance(value, (dict, list)) and value:
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from leaves(value[key], (*path, key))
    else:
        yield path


def places(value: object, path: Path = ()) -> Iterator[Path]:
    """Yield the paths of all values in a value."""
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield (*path, key)
            yield from places(value[key], (*path, key))


def kind_of(path: Path) -> str:
    """Return the kind of a leaf: the same for each entry of the log, and for each item of a list."""
    return ".".join("*" if isinstance(key, int) else key for key in path)


def where_of(path: Path) -> int | str:
    """Return where a change must be reported: the entry in the log, the result, or entry 0 for all before the log."""
    if path[0] == "log":
        return int(path[1]) + 1
    return "result" if path[0] == "result" else 0


def at(record: dict[str, Any], path: Path) -> Any:
    """Return the value at a path."""
    value: Any = record
    for key in path:
        value = value[key]
    return value


def another_value(value: object, random: Random) -> object:
    """Return a different value, usually of the same type."""
    others: list[object]
    if isinstance(value, int):
        others = [value + 1, value - 1, -value, random.randrange(100), value + 2**32]
        others += [None, str(value), bool(value), [value]]
    elif isinstance(value, str):
        others = [another_text(value, random) for _ in range(6)]
        others += [value + " ", value[:-1], value.swapcase(), None, 0, {}]
    else:
        others = [0, 1, "", False, [], {}, [0]]
    # Compared as spelled, because in Python True == 1.
    return random.choice([other for other in others if json.dumps(other) != json.dumps(value)])


def another_text(text: str, random: Random) -> str:
    """Return the text with one character changed to another of its class, so that it stays plausible."""
    if not text:
        return random.choice(string.ascii_letters)
    index = random.randrange(len(text))
    classes = ("0123456789abcdef", string.digits, string.ascii_letters)
    alphabet = random.choice([letters for letters in classes if text[index] in letters] or [" -_~"])
    return text[:index] + random.choice([c for c in alphabet if c != text[index]]) + text[index + 1 :]


def is_bound(record: dict[str, Any], path: Path) -> bool:
    """Return whether anything in a record tells that the value at a path was changed.

    As long as there is no seed, nothing binds the tiles that came out and that nobody has placed.
    """
    if record["draw"]["server_seed"] is not None or path[:2] != ("draw", "tiles"):
        return True
    return at(record, path) in {entry["move"].get("tile") for entry in record["log"]}


def value_changed(line: bytes, random: Random, reached: Counter[str]) -> Tampered:
    """Change one leaf, of the kind that was changed least often so far."""
    record = json.loads(line)
    paths = [path for path in leaves(record) if is_bound(record, path)]
    kind = min(sorted({kind_of(path) for path in paths}), key=lambda kind: reached[kind])
    reached[kind] += 1
    path = random.choice([path for path in paths if kind_of(path) == kind])
    before = at(record, path)
    after = another_value(before, random)
    at(record, path[:-1])[path[-1]] = after
    return Tampered(line_of(record), f"{path}: {before!r} to {after!r}", where_of(path))


def forged(line: bytes, random: Random) -> Tampered:
    """Change one leaf and renew the hash chain, so that only the draw, the rules and the result can reveal it.

    The new record may be valid: another time, another id, or another cell that is as good. Names of bots and of marks
    are not changed, because only the engine knows their form.
    """
    record = json.loads(line)
    unfit = {"log", "log.*.prev", "log.*.hash", "log.*.by", "log.*.move.kind"}  # a log without entries is a leaf
    by_kind = defaultdict(list)
    for path in leaves(record):
        by_kind[kind_of(path)].append(path)
    path = random.choice(by_kind[random.choice(sorted(set(by_kind) - unfit))])
    before = at(record, path)
    after = another_value(before, random)
    at(record, path[:-1])[path[-1]] = after
    chain(record)
    return Tampered(line_of(record), f"{path}: {before!r} to {after!r}, chained again", None)


def chain(record: dict[str, Any]) -> None:
    """Renew the hashes of a record."""
    prev = header_hash(record)
    for entry in record["log"]:
        entry["prev"] = prev
        entry["hash"] = prev = digest({name: value for name, value in entry.items() if name != "hash"})


def retyped(line: bytes, every: int) -> Iterator[Tampered]:
    """Put values of all other types in the place of each value, one at a time, and renew the hash chain.

    Of values at like places, one of each word is taken, and one of all that are no words: so each type of a move is.
    `every` is 1 for all of these, 2 for every second one, and so on.
    """
    whole, alike = json.loads(line), dict[tuple[str, str], Path]()
    for path in places(whole):
        value = at(whole, path)
        alike.setdefault((kind_of(path), value if isinstance(value, str) and value.isalpha() else ""), path)
    pairs = [(path, other) for path in alike.values() for other in other_types(at(whole, path))]
    for path, other in pairs[::every]:
        record = json.loads(line)
        at(record, path[:-1])[path[-1]] = other
        # What is no list or object any more cannot be chained.
        with suppress(AttributeError, KeyError, TypeError):
            chain(record)
        yield Tampered(line_of(record), f"{path} to {str(other)[:80]}, chained again", None)


def other_types(value: object) -> tuple[object, ...]:
    """Return values that a language with loose types may take for this one, or for one of its type."""
    near = ([value], [[value]], {"0": value}, {"length": 1, "0": value}, {"toString": value})
    return (*near, None, False, True, 0, 1, 2**53 - 1, "", "0", "toString", "__proto__", [], {}, {"__proto__": value})


def shape_changed(line: bytes, random: Random) -> Tampered:
    """Remove a field or an item of an object or a list, or add one."""
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
    return Tampered(line_of(record), f"{path} {what}", None)


def byte_changed(line: bytes, random: Random) -> Tampered:
    """Change, remove or insert one byte outside the players, or insert one blank within them."""
    start, end = line.rindex(b'"players":['), line.rindex(b',"result":')
    outside = [index for index in range(len(line)) if not start <= index < end]
    if b'"server_seed":null' in line:  # then nothing binds the tiles that nobody has placed
        first = line.index(b'"tiles":[') + len(b'"tiles":[')
        last = line.index(b"]", first)
        outside = [index for index in outside if not first <= index < last]
    index = random.choice(outside)
    how = random.choice(["changed", "left out", "put in", "blank among the players", "upper case"])
    if how == "changed":
        other = random.choice([b for b in range(256) if b != line[index]])
        tampered = line[:index] + bytes([other]) + line[index + 1 :]
    elif how == "left out":
        tampered = line[:index] + line[index + 1 :]
    elif how == "put in":
        tampered = line[:index] + random.choice([b" ", b"\t", b"\r", b"\n", b"0", b"a", b"\x00"]) + line[index:]
    elif how == "blank among the players":
        index = line.index(b"{", start)
        tampered = line[:index] + b" " + line[index:]
    else:
        index = random.choice([index for index in outside if line[index : index + 1].islower()])
        tampered = line[:index] + line[index : index + 1].upper() + line[index + 1 :]
    return Tampered(tampered, f"byte {index} {how}", None)
