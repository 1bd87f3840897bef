"""A second verifier of `nova-luna-record/1`: spelling, header, chain, draw, every move, result.

The canonical form is that of the `rfc8785` package, and the rules are those of this folder.
"""

import hashlib
import json
import re
from datetime import datetime
from typing import Any

import rfc8785

from tests.oracle import draw, moves, rules

HEX = re.compile(r"[0-9a-f]{64}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
TEXT_OF_A_PLAYER = re.compile(r"[ -~]{0,64}")
BOT = re.compile(r"bot:.+")


class Broken(Exception):
    """The record is not valid: `where` is "spelling", the number of an entry (0: the header) or "result"."""

    def __init__(self, where: int | str, why: str) -> None:
        super().__init__(f"{where}: {why}")
        self.where = where


def require(holds: bool, where: int | str, why: str) -> None:
    """Raise Broken unless a condition holds."""
    if not holds:
        raise Broken(where, why)


def verify(line: bytes) -> list[dict[str, Any]]:
    """Verify one record, including its line feed; return the states at the start and after each entry."""
    record = read(line)
    check_header(record)
    check_chain(record)
    states = replay(record)
    check_result(record, states[-1])
    return states


# ---------------------------------------------------------------------------------------------------------------
# Spelling
# ---------------------------------------------------------------------------------------------------------------


def read(line: bytes) -> dict[str, Any]:
    """Parse the line, which must be the RFC 8785 bytes of one object with whole numbers only, and a line feed."""
    try:
        record: dict[str, Any] = json.loads(
            line.decode("utf-8"), parse_float=_no_such_number, parse_constant=_no_such_number
        )
        canonical = rfc8785.dumps(record)
    except (ValueError, rfc8785.CanonicalizationError) as error:
        raise Broken("spelling", str(error)) from error
    require(line == canonical + b"\n", "spelling", "not the canonical form")
    return record


def _no_such_number(text: str) -> None:
    raise ValueError(f"{text} is not a whole number")


def digest(value: dict[str, Any]) -> str:
    """Return the SHA-256 of the canonical form, in hex."""
    return hashlib.sha256(rfc8785.dumps(value)).hexdigest()


def fields(value: Any, names: str, where: int | str, optional: str = "") -> list[Any]:
    """Return the values of an object's fields in the order of `names`; any other field is refused."""
    require(isinstance(value, dict), where, "not an object")
    needed, possible = set(names.split()), set(optional.split())
    require(needed <= set(value) <= needed | possible, where, f"fields {sorted(value)}, not {sorted(needed)}")
    return [value[name] for name in names.split()]


def is_whole(value: object) -> bool:
    """Return whether a value is a whole number; True and False are not."""
    return type(value) is int


def is_text(value: object, pattern: re.Pattern[str] | None = None) -> bool:
    """Return whether a value is a text that matches the pattern as a whole, if there is one."""
    return isinstance(value, str) and (pattern is None or pattern.fullmatch(value) is not None)


def is_time(value: Any) -> bool:
    """Return whether a value is a time in the only valid form."""
    if not is_text(value, TIME):
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


# ---------------------------------------------------------------------------------------------------------------
# Header: entry 0
# ---------------------------------------------------------------------------------------------------------------


def check_header(record: dict[str, Any]) -> None:
    """Check format, rules, game, players and draw, as far as possible without the log."""
    names = "format rules game players draw log result"
    format_name, rules_version, game, players, drawn, log, result = fields(record, names, 0)
    require(format_name == "nova-luna-record/1", 0, "another format")
    require(rules_version == "1", 0, "another version of the rules")
    check_game(game)
    seats = game["seats"]
    require(isinstance(players, list) and len(players) == seats, 0, "players: one a seat")
    for number, player in enumerate(players):
        seat, name = fields(player, "seat name", 0)
        require(is_whole(seat) and seat == number, 0, "players: in the order of seats")
        require(name is None or is_text(name), 0, "a name is a text or null")
    check_draw(drawn, game)
    require(isinstance(log, list), 0, "log: a list")
    if result is None:
        require(drawn["server_seed"] is None, 0, "the seed of a running game")


def check_game(game: object) -> None:
    """Check kind, seats, goal discs (1.2, 5.1) and the two times."""
    id, kind, seats, goal_discs, created_at, started_at = fields(
        game, "id kind seats goal_discs created_at started_at", 0
    )
    require(is_text(id) and is_text(kind), 0, "id and kind are texts")
    require(is_whole(seats) and is_whole(goal_discs), 0, "seats and goal_discs are whole numbers")
    if kind == "match":
        require(2 <= seats <= 4 and 5 <= goal_discs <= 20, 0, "no such match")
    else:
        require((kind, seats, goal_discs) == ("solo", 1, 21), 0, "no such solo")
    require(is_time(created_at) and is_time(started_at) and created_at <= started_at, 0, "created, then started")


def check_draw(drawn: object, game: dict[str, Any]) -> None:
    """Check the draw, and repeat it if the seed is shown; the number of tiles is checked after the replay."""
    names = "algorithm subject commitment entropy server_seed tiles stack"
    algorithm, subject, commitment, entropy, server_seed, tiles, stack = fields(drawn, names, 0)
    require(algorithm == "nova-luna-draw/1", 0, "another draw")
    require(is_text(subject) and is_text(commitment, HEX), 0, "subject or commitment")
    require(isinstance(entropy, list) and len(entropy) == game["seats"], 0, "entropy: one text a seat")
    require(all(is_text(text, TEXT_OF_A_PLAYER) for text in entropy), 0, "entropy: 0 to 64 printable characters")
    for numbers in (tiles, stack):
        require(isinstance(numbers, list) and all(is_whole(number) for number in numbers), 0, "tiles and stack")
    require(len(set(tiles)) == len(tiles) and set(tiles) <= set(range(1, 69)), 0, "tiles: each once")
    require(sorted(stack) == list(range(game["seats"])), 0, "stack: each seat once")
    if server_seed is not None:
        require(is_text(server_seed, HEX), 0, "server_seed: 64 hex digits")
        seed = bytes.fromhex(server_seed)
        require(draw.commitment(seed) == commitment, 0, "the seed is not the one of the commitment")
        require(draw.draw(seed, subject, entropy) == (tiles, stack), 0, "the draw gives other tiles or another pile")


def header_hash(record: dict[str, Any]) -> str:
    """Return the hash of what counts as entry 0."""
    header: dict[str, Any] = {name: record[name] for name in ("format", "rules", "game", "origin") if name in record}
    names = ("algorithm", "subject", "commitment", "entropy", "stack")
    header["draw"] = {name: record["draw"][name] for name in names}
    return digest(header)


# ---------------------------------------------------------------------------------------------------------------
# Log
# ---------------------------------------------------------------------------------------------------------------


def check_chain(record: dict[str, Any]) -> None:
    """Check each entry's form, its time, its hash, and that it follows the one before it."""
    before, at_before = header_hash(record), record["game"]["started_at"]
    for number, entry in enumerate(record["log"], start=1):
        seq, at, seat, move, prev, hash_ = fields(entry, "seq at seat move prev hash", number, optional="by")
        without_hash = {name: value for name, value in entry.items() if name != "hash"}
        require(hash_ == digest(without_hash), number, "its hash is another")
        # The entry is right but follows something else, so something before it was changed.
        require(prev == before, number - 1, "the next entry does not follow from this one")
        require(is_whole(seq) and seq == number, number, "seq counts from 1")
        require(is_time(at) and at >= at_before, number, "time never goes back")
        check_actor(seat, move, entry, record["game"]["seats"], number)
        before, at_before = hash_, at


def check_actor(seat: Any, move: Any, entry: dict[str, Any], seats: int, number: int) -> None:
    """Check whose move it is (`seat`), and who made it if that was not the player (`by`)."""
    try:
        moves.check_form(move)
    except moves.Malformed as error:
        raise Broken(number, str(error)) from error
    kind, by = move["type"], entry.get("by")
    require("by" not in entry or is_text(by), number, "by is a text")
    require(seat is None or (is_whole(seat) and 0 <= seat < seats), number, "no such seat")
    if kind in ("place", "refill", "resign"):
        require(seat is not None and (by is None or is_text(by, BOT)), number, "a player's move")
    elif kind == "timeout":
        require(seat is not None and by is None, number, "a clock's move")
    elif kind == "end":
        require(seat is None and by in (None, "host"), number, "an end is the host's or nobody's")
    else:
        require(by == ("host" if seat is None else None), number, "a mark is the host's or a clock's")


def replay(record: dict[str, Any]) -> list[dict[str, Any]]:
    """Play the log by the rules; return the states at the start and after each entry."""
    game, drawn = record["game"], record["draw"]
    require(len(drawn["tiles"]) >= 11, 0, "the first tiles are missing")
    if game["kind"] == "solo":
        state = rules.new_solo(drawn["tiles"])
    else:
        state = rules.new_match(game["seats"], game["goal_discs"], drawn["tiles"], drawn["stack"])
    states = [state]
    for entry in record["log"]:
        try:
            state = rules.play(state, entry["seat"], entry["move"])
        except rules.Illegal as error:
            raise Broken(entry["seq"], f"against ruling {error.ruling}") from error
        except IndexError as error:
            raise Broken(0, "tiles that were shown are missing") from error
        states.append(state)
    return states


# ---------------------------------------------------------------------------------------------------------------
# Result
# ---------------------------------------------------------------------------------------------------------------


def check_result(record: dict[str, Any], last: dict[str, Any]) -> None:
    """Check the result, and how much of the draw must be shown."""
    stated, drawn = record["result"], record["draw"]
    # As canonical bytes, because in Python True == 1.
    require(rfc8785.dumps(stated) == rfc8785.dumps(last["result"]), "result", "the log leads to another result")
    if drawn["server_seed"] is not None:
        return  # then the draw itself has given all 68
    shown = drawn["tiles"] == last["tiles"] and len(drawn["tiles"]) == last["shown"]
    require(shown, 0, "tiles: exactly those shown so far")
    if stated is not None:
        require(drawn["subject"] != record["game"]["id"], 0, "a finished game on a draw of its own shows its seed")
