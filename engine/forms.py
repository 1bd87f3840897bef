"""The form of a record: its fields and what may stand in each, checked before anything is computed.

Each function checks one part and raises RecordError, which names the part and the field.
"""

from __future__ import annotations

import json
import re
from itertools import chain
from operator import ge
from typing import Any, NoReturn

from engine import rules
from engine.draw import ALGORITHM, is_entropy
from engine.errors import MalformedMove, RecordError, UnknownRules
from engine.moves import MOST as MOST_NUMBER
from engine.moves import End, Mark, Move, Timeout, from_json
from engine.record import FORMAT, Object, moment
from engine.tiles import COUNT

LONGEST = 1 << 24
"""The most bytes of a record's line, far more than any game has."""

DEEPEST = 64
"""How deep lists and objects may lie in each other in a line; a record needs 12."""

_NESTING = (dict, list)
_spelled = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode

_HASH = re.compile(r"[0-9a-f]{64}")
_BY = re.compile(r"host|bot:[\x21-\x7e]{1,60}")
_REASONS = ("discs", "tiles", "left", "ended")


def parse(line: bytes) -> Object:
    """Return the JSON object of a record's line, which must be its RFC 8785 bytes and one line feed."""
    if not line.endswith(b"\n"):
        raise RecordError("spelling", "the line feed at the end is missing")
    if len(line) > LONGEST:
        raise RecordError("spelling", f"the line has more than {LONGEST} bytes")
    if line == b"\n":
        raise RecordError("spelling", "the line is empty")
    try:
        record = json.loads(
            line[:-1].decode(),
            parse_float=_no_fraction,
            parse_constant=_no_fraction,
            parse_int=_number,
            object_pairs_hook=_in_order,
        )
        spelled = _spelled(record).encode()
    except RecordError:
        raise
    except (ValueError, RecursionError):
        raise RecordError("spelling", "this is not JSON in UTF-8") from None
    if spelled != line[:-1]:
        raise RecordError("spelling", "this is not the RFC 8785 form (white space, escapes or a number)")
    if _is_deeper(record, DEEPEST):
        raise RecordError("spelling", f"lists and objects lie at most {DEEPEST} deep in each other")
    if not isinstance(record, dict):
        raise RecordError("record", "a record is a JSON object")
    return record


def _in_order(pairs: list[tuple[str, Any]]) -> Object:
    """Return an object; its names must stand in the order of RFC 8785, that of their UTF-16 code units, each once."""
    names: list[Any] = [name for name, _ in pairs]
    if not "".join(names).isascii():
        names = [name.encode("utf-16-be", "surrogatepass") for name in names]
    if any(map(ge, names, names[1:])):
        raise RecordError("spelling", "this is not the RFC 8785 form (the order of the names, or a name twice)")
    return dict(pairs)


def _is_deeper(value: Any, most: int) -> bool:
    """Return whether lists and objects of a JSON value lie more than `most` deep in each other."""
    level = [value] if isinstance(value, _NESTING) else []
    for _ in range(most):
        items = (each.values() if isinstance(each, dict) else each for each in level)
        level = [item for item in chain.from_iterable(items) if isinstance(item, _NESTING)]
        if not level:
            return False
    return True


def _number(text: str) -> int:
    number = int(text)
    if abs(number) > MOST_NUMBER:
        raise RecordError("spelling", f"numbers are at most 2^53 - 1, not {text:.40}")
    return number


def _no_fraction(text: str) -> NoReturn:
    raise RecordError("spelling", f"numbers are whole, not {text:.40}")


def fields(value: Any, names: set[str], where: int | str, what: str, optional: frozenset[str] = frozenset()) -> Object:
    """Return the value as an object with exactly these fields, plus any of the optional ones."""
    if not isinstance(value, dict):
        raise RecordError(where, f"{what} is an object")
    given = set(value)
    if missing := names - given:
        raise RecordError(where, f"{what} lacks {', '.join(sorted(missing))}")
    if unknown := given - names - optional:
        raise RecordError(where, f"{what} has an unknown field {min(unknown)!r:.60}")
    return value


def _hold(fact: bool, where: int | str, why: str) -> None:
    if not fact:
        raise RecordError(where, why)


def _whole(value: Any, least: int, most: int) -> bool:
    return type(value) is int and least <= value <= most


def _text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _time(value: Any, where: int, what: str) -> str:
    try:
        moment(value if isinstance(value, str) else "")
    except ValueError:
        raise RecordError(where, f"{what} is a time as 2026-11-27T20:56:00.123Z") from None
    return str(value)


def is_hash(value: Any) -> bool:
    """Return whether a value is a hash as a record has it."""
    return isinstance(value, str) and bool(_HASH.fullmatch(value))


def _hash(value: Any, where: int, what: str) -> None:
    _hold(is_hash(value), where, f"{what} is 64 hex digits in lower case")


def head(record: Object) -> None:
    """Check the outermost form and the header: format, rules, game, draw (entry 0)."""
    if "origin" in record:
        raise RecordError("record", "the record of a game has no origin; this is that of an exploration")
    fields(record, {"format", "rules", "game", "players", "draw", "log", "result"}, "record", "a record")
    _hold(record["format"] == FORMAT, 0, f"the format is not {FORMAT}")
    played = _rules(record["rules"])
    game = fields(
        record["game"], {"id", "kind", "seats", "goal_discs", "created_at", "started_at"}, 0, "the header's game"
    )
    _hold(_text(game["id"]), 0, "the game's id is a text")
    _hold(game["kind"] in ("match", "solo"), 0, "the game's kind is match or solo")
    if game["kind"] == "solo":
        _hold(_whole(game["seats"], 1, 1), 0, "a solo has one seat")
        discs = played.solo_discs
        _hold(_whole(game["goal_discs"], discs, discs), 0, f"a solo has {discs} discs")
    else:
        _hold(_whole(game["seats"], 2, 4), 0, "a match has 2 to 4 seats")
        least, most = played.goal_discs[0], played.goal_discs[-1]
        _hold(_whole(game["goal_discs"], least, most), 0, f"a match has {least} to {most} goal discs a player")
    created = _time(game["created_at"], 0, "created_at")
    started = _time(game["started_at"], 0, "started_at")
    _hold(created <= started, 0, "created_at is after started_at")
    draw = fields(
        record["draw"],
        {"algorithm", "subject", "commitment", "entropy", "server_seed", "tiles", "stack"},
        0,
        "the draw",
    )
    _hold(draw["algorithm"] == ALGORITHM, 0, f"the draw's algorithm is not {ALGORITHM}")
    _hold(_text(draw["subject"]), 0, "the draw's subject is a text")
    _hash(draw["commitment"], 0, "the commitment")
    entropy, stack, tiles, seats = draw["entropy"], draw["stack"], draw["tiles"], game["seats"]
    _hold(isinstance(entropy, list) and len(entropy) == seats, 0, "the draw has one text for each seat")
    _hold(
        all(isinstance(text, str) and is_entropy(text) for text in entropy),
        0,
        "a player's text has 0 to 64 characters from U+0020 to U+007E",
    )
    _hold(
        isinstance(stack, list)
        and all(_whole(seat, 0, seats - 1) for seat in stack)
        and sorted(stack) == list(range(seats)),
        0,
        "the starting pile holds each seat once",
    )
    if draw["server_seed"] is not None:
        _hash(draw["server_seed"], 0, "the server seed")
    _hold(
        isinstance(tiles, list)
        and all(_whole(tile, 1, COUNT) for tile in tiles)
        and len(set(tiles)) == len(tiles)
        and len(tiles) >= 11,
        0,
        "the tile list names at least 11 tiles, each of 1 to 68 at most once",
    )


def _rules(version: Any) -> rules.Rules:
    try:
        return rules.of(version)
    except UnknownRules as error:
        raise RecordError(0, error.detail) from None


def players(record: Object) -> None:
    """Check the players: one for each seat in order, each with a name or null."""
    given, seats = record["players"], record["game"]["seats"]
    _hold(isinstance(given, list) and len(given) == seats, "players", "there is one player for each seat")
    for seat, player in enumerate(given):
        fields(player, {"seat", "name"}, "players", f"player {seat}")
        _hold(_whole(player["seat"], seat, seat), "players", f"player {seat} has another seat's number")
        _hold(player["name"] is None or isinstance(player["name"], str), "players", "a name is a text or null")


def log_entry(value: Any, seq: int, seats: int) -> Move:
    """Check one entry of the log and return its move."""
    fields(value, {"seq", "at", "seat", "move", "prev", "hash"}, seq, "the entry", frozenset({"by"}))
    _hold(_whole(value["seq"], seq, seq), seq, f"the entry's seq is not {seq}")
    _time(value["at"], seq, "at")
    _hash(value["prev"], seq, "prev")
    _hash(value["hash"], seq, "hash")
    seat, by = value["seat"], value.get("by")
    _hold(seat is None or _whole(seat, 0, seats - 1), seq, "the seat is one of the game's, or null")
    _hold(
        "by" not in value or (isinstance(by, str) and bool(_BY.fullmatch(by))),
        seq,
        'by is "host" or a bot\'s name as "bot:greedy", or it isn\'t there',
    )
    try:
        move = from_json(value["move"])
    except MalformedMove as error:
        raise RecordError(seq, error.detail) from None
    if isinstance(move, End):
        _hold(seat is None and by in (None, "host"), seq, "an end has no seat, and no by but the host")
    elif by == "host":
        _hold(seat is None and isinstance(move, Mark), seq, "the host's entries are ends and marks, without a seat")
    else:
        _hold(seat is not None, seq, "only an end and the host's marks have no seat")
        _hold(not isinstance(move, Timeout) or by is None, seq, "a timeout carries no by")
    return move


def result(record: Object) -> None:
    """Check the result: null, or the object for this kind of game."""
    value, seats = record["result"], record["game"]["seats"]
    if value is None:
        return
    if record["game"]["kind"] == "match":
        fields(value, {"reason", "ranking", "discs_left"}, "result", "the result")
        ranking = value["ranking"]
        _hold(
            ranking is None or (isinstance(ranking, list) and all(_whole(seat, 0, seats - 1) for seat in ranking)),
            "result",
            "the ranking has seats, or is null",
        )
    else:
        fields(value, {"reason", "first_total", "second_total", "score", "discs_left"}, "result", "the result")
        for name in ("first_total", "second_total", "score"):
            _hold(value[name] is None or _whole(value[name], 0, MOST_NUMBER), "result", f"{name} is a number or null")
    _hold(value["reason"] in _REASONS, "result", f"the reason is one of {', '.join(_REASONS)}")
    left, most = value["discs_left"], record["game"]["goal_discs"]
    _hold(
        isinstance(left, list) and len(left) == seats and all(_whole(number, 0, most) for number in left),
        "result",
        "discs_left has a number for each seat",
    )
