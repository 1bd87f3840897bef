"""Records and their audit: what is valid, and where a broken record is reported as broken."""

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
import rfc8785

from engine import audit, moves, record, simulate
from engine.errors import RecordError
from engine.moves import END, Mark, Move

VECTORS = (Path(__file__).parents[2] / "data" / "record-vectors.jsonl").read_bytes().splitlines(keepends=True)


def as_object(line: bytes) -> dict[str, Any]:
    """Return the record in a line."""
    value: dict[str, Any] = json.loads(line)
    return value


def finished(**changes: Any) -> dict[str, Any]:
    """Return a simulated record as an object."""
    arguments: dict[str, Any] = {"games": 1, "seats": 3, "seed": "r", "bot": "random", "leave": "0.05"} | changes
    return as_object(next(iter(simulate.records(**arguments))))


def broken(value: dict[str, Any] | bytes) -> int | str:
    """Return where the audit reports that a record, an object or a line, is broken."""
    return found(value)[0]


def found(value: dict[str, Any] | bytes) -> tuple[int | str, str]:
    """Return where and why the audit reports that a record is broken."""
    line = value if isinstance(value, bytes) else record.line(value)
    with pytest.raises(RecordError) as error:
        audit.check(line)
    assert error.value.why
    return error.value.where, error.value.why


def changed(value: dict[str, Any], path: Sequence[str | int], new: object) -> dict[str, Any]:
    """Return the record with another value at a path and a renewed hash chain, so that only the value is wrong."""
    part: Any = value
    for name in path[:-1]:
        part = part[name]
    part[path[-1]] = new
    return chained(value)


def running() -> dict[str, Any]:
    """Return the record of a running match of three."""
    return as_object(VECTORS[13])


def chained(value: dict[str, Any], since: int = 1) -> dict[str, Any]:
    """Renew the record's hash chain from an entry on, as a forger would."""
    prev = record.digest(audit.header(value)) if since == 1 else value["log"][since - 2]["hash"]
    for entry in value["log"][since - 1 :]:
        entry.pop("hash")
        entry["prev"] = prev
        prev = entry["hash"] = record.digest(entry)
    return value


@pytest.mark.parametrize("line", VECTORS, ids=lambda line: json.loads(line)["game"]["id"])
def test_vectors_verify(line: bytes) -> None:
    audit.check(line)
    assert record.line(json.loads(line)) == line


def test_canonical_is_rfc_8785() -> None:
    value: dict[str, Any] = {
        "b": [1, -7, 2**53 - 1, True, None],
        "a": 'é"\\/\x00\x1f\x7f\u2028😀\b\f\n\r\t',
        "": {"Z": 0, "z": {}},
    }
    assert record.canonical(value) == rfc8785.dumps(value)
    for line in VECTORS:
        assert record.canonical(json.loads(line)) == rfc8785.dumps(json.loads(line))


def test_stamps_have_24_characters() -> None:
    zone = timezone(timedelta(hours=2))
    assert record.stamp(datetime(2026, 11, 27, 22, 56, 0, 123999, tzinfo=zone)) == "2026-11-27T20:56:00.123Z"
    assert record.moment("2026-11-27T20:56:00.000Z") == datetime(2026, 11, 27, 20, 56, tzinfo=UTC)
    for text in ("2026-11-27T20:56:00Z", "2026-11-27T20:56:00.000+00:00", "2026-02-30T20:56:00.000Z", ""):
        with pytest.raises(ValueError, match=r"time|day"):
            record.moment(text)


@pytest.mark.parametrize(
    "tamper",
    [
        lambda line: line[:-1],
        lambda line: line[:-1] + b"\r\n",
        lambda line: line + b"\n",
        lambda line: b"\n",
        lambda line: b"",
        lambda line: b"{}x\n",
        lambda line: b"not json\n",
        lambda line: b"\xff\n",
        lambda line: b"[" * 100_000 + b"\n",
        lambda line: b" " + line,
        lambda line: line.replace(b":", b": ", 1),
        lambda line: line.replace(b'"Ada"', b'"\\u0041da"'),
        lambda line: line.replace(b'"goal_discs":20', b'"goal_discs":20.0'),
        lambda line: line.replace(b'"goal_discs":20', b'"goal_discs":2e1'),
        lambda line: line.replace(b'"seq":1}', b'"seq":1,"seq":1}'),
        lambda line: line.replace(b'"x":0', b'"x":-0', 1),
        lambda line: line.replace(b'"seats":3', b'"seats":NaN'),
    ],
)
def test_any_other_spelling_is_broken(tamper: Callable[[bytes], bytes]) -> None:
    line = record.line(finished())
    tampered = tamper(line)
    assert tampered != line
    assert broken(tampered) == "spelling"


@pytest.mark.parametrize("number", ["20.0", "2e1"])
def test_a_number_that_is_not_whole_is_named(number: str) -> None:
    line = record.line(finished()).replace(b'"goal_discs":20', b'"goal_discs":' + number.encode())
    assert found(line) == ("spelling", f"numbers are whole, not {number}")


def test_a_game_in_which_nobody_has_moved_is_right() -> None:
    value = running()
    value["log"], value["draw"]["tiles"] = [], value["draw"]["tiles"][:11]
    audit.check(record.line(value))
    value["draw"]["tiles"] = []
    assert broken(value) == 0


def test_an_empty_line_is_named() -> None:
    assert found(b"\n") == ("spelling", "the line is empty")


def test_upper_case_hex_is_broken() -> None:
    value = finished()
    value["draw"]["server_seed"] = value["draw"]["server_seed"].upper()
    assert broken(value) == 0
    for name in ("prev", "hash"):
        value = finished()
        value["log"][2][name] = value["log"][2][name].upper()
        where, said = found(value)
        assert where == 3 and said.startswith(f"{name} is ")


@pytest.mark.parametrize("value", [[], "x", None, 3, {}, {"format": "nova-luna-record/1"}])
def test_other_json_is_broken(value: Any) -> None:
    assert broken(value) == "record"


@pytest.mark.parametrize(
    ("path", "new"),
    [
        (("format",), "nova-luna-record/2"),
        (("rules",), "2"),
        (("game", "id"), "another"),
        (("game", "id"), ""),
        (("game", "kind"), "solo"),
        (("game", "seats"), 4),
        (("game", "goal_discs"), 19),
        (("game", "created_at"), "2026-01-01T00:00:00.000Z"),
        (("game", "started_at"), "2026-01-01T00:00:00.000Z"),
        (("game", "started_at"), "2026-01-01 00:00:00.000"),
        (("draw", "algorithm"), "nova-luna-draw/2"),
        (("draw", "subject"), "daily"),
        (("draw", "commitment"), "0" * 64),
        (("draw", "entropy"), ["", "", ""]),
        (("draw", "entropy"), ["", "", "ä"]),
        (("draw", "stack"), [0, 1, 2]),
        (("draw", "server_seed"), "0" * 64),
        (("draw", "server_seed"), None),
        (("draw", "tiles"), list(range(1, 69))),
        (("draw", "tiles"), []),
    ],
)
def test_a_changed_header_draw_or_tile_list_is_entry_0(path: Sequence[str | int], new: object) -> None:
    value = finished(seed="header")
    part: Any = value
    for name in path[:-1]:
        part = part[name]
    if part[path[-1]] == new:
        new = [2, 1, 0]
    part[path[-1]] = new
    assert broken(value) == 0


@pytest.mark.parametrize("name", ["commitment", "tiles", "stack"])
def test_a_draw_that_its_seed_does_not_give_has_the_code_draw(name: str) -> None:
    value = finished(seed="draw")
    drawn = value["draw"][name]
    value["draw"][name] = "0" * 64 if name == "commitment" else drawn[1:] + drawn[:1]
    with pytest.raises(RecordError) as error:
        audit.check(record.line(chained(value)))
    assert (error.value.where, error.value.code) == (0, "draw")


@pytest.mark.parametrize(
    ("name", "new"),
    [
        ("seq", 9),
        ("seq", True),
        ("at", "2027-01-01T00:00:00.000Z"),
        ("seat", None),
        ("seat", 7),
        ("move", {"type": "refill"}),
        ("move", {"type": "jump"}),
        ("prev", "0" * 64),
        ("hash", "0" * 64),
        ("by", "host"),
        ("by", ""),
        ("note", 1),
    ],
)
@pytest.mark.parametrize("seq", [1, 5])
def test_a_changed_entry_is_named(seq: int, name: str, new: object) -> None:
    value = finished(leave="0")
    value["log"][seq - 1][name] = new
    assert broken(value) == seq


@pytest.mark.parametrize(
    ("path", "new", "why"),
    [
        (("format",), "nova-luna-record/2", "the format is not"),
        (("rules",), "2", "There is no version 2"),
        (("game", "more"), 1, "the header's game has an unknown field 'more'"),
        (("game", "id"), "", "the game's id is a text"),
        (("game", "id"), 7, "the game's id is a text"),
        (("game", "kind"), "duel", "the game's kind is match or solo"),
        (("game", "seats"), 1, "a match has 2 to 4 seats"),
        (("game", "seats"), 5, "a match has 2 to 4 seats"),
        (("game", "seats"), True, "a match has 2 to 4 seats"),
        (("game", "goal_discs"), 4, "a match has 5 to 20 goal discs"),
        (("game", "goal_discs"), 21, "a match has 5 to 20 goal discs"),
        (("game", "created_at"), "2026-01-01", "created_at"),
        (("game", "created_at"), "2099-01-01T00:00:00.000Z", "created_at is after started_at"),
        (("game", "started_at"), 5, "started_at"),
        (("draw", "more"), 1, "the draw has an unknown field 'more'"),
        (("draw", "algorithm"), "nova-luna-draw/2", "the draw's algorithm is not"),
        (("draw", "subject"), "", "the draw's subject is a text"),
        (("draw", "commitment"), "A" * 64, "the commitment"),
        (("draw", "commitment"), "a" * 63, "the commitment"),
        (("draw", "server_seed"), "A" * 64, "the server seed"),
        (("draw", "entropy"), ["", ""], "one text for each seat"),
        (("draw", "entropy"), ["", "", "ä"], "a player's text has"),
        (("draw", "entropy"), ["", "", "x" * 65], "a player's text has"),
        (("draw", "entropy"), ["", "", None], "a player's text has"),
        (("draw", "stack"), [0, 1], "the starting pile holds each seat once"),
        (("draw", "stack"), [0, 1, 1], "the starting pile holds each seat once"),
        (("draw", "stack"), [0, 1, "2"], "the starting pile holds each seat once"),
        (("draw", "tiles"), None, "the tile list names at least 11"),
        (("draw", "tiles"), list(range(1, 11)), "the tile list names at least 11"),
        (("draw", "tiles"), [*range(1, 12), 1], "the tile list names at least 11"),
        (("draw", "tiles"), list(range(12)), "the tile list names at least 11"),
        (("draw", "tiles"), list(range(58, 70)), "the tile list names at least 11"),
    ],
    ids=str,
)
def test_a_header_of_another_form_is_refused_though_its_chain_holds(
    path: Sequence[str | int], new: object, why: str
) -> None:
    where, said = found(changed(running(), path, new))
    assert where == 0 and why in said


@pytest.mark.parametrize(
    ("path", "new", "why"),
    [(("game", "seats"), 2, "a solo has one seat"), (("game", "goal_discs"), 20, "a solo has 21 discs")],
    ids=str,
)
def test_the_header_of_a_solo_has_its_own_numbers(path: Sequence[str | int], new: object, why: str) -> None:
    where, said = found(changed(finished(seats=1, leave="0"), path, new))
    assert where == 0 and why in said


def test_there_is_one_player_for_each_seat() -> None:
    players = running()["players"]
    for new in (players[:2], [*players, players[0]], {"a": players[0], "b": players[1], "c": players[2]}, None):
        assert found(running() | {"players": new}) == ("players", "there is one player for each seat")


@pytest.mark.parametrize(
    ("new", "why"),
    [
        (None, "player 1 is an object"),
        ({"seat": 1}, "player 1 lacks name"),
        ({"seat": 1, "name": None, "email": "x"}, "player 1 has an unknown field 'email'"),
        ({"seat": 2, "name": None}, "player 1 has another seat's number"),
        ({"seat": True, "name": None}, "player 1 has another seat's number"),
        ({"seat": 1, "name": 5}, "a name is a text or null"),
    ],
    ids=str,
)
def test_a_player_has_a_seat_and_a_name(new: object, why: str) -> None:
    value = running()
    value["players"][1] = new
    where, said = found(value)
    assert where == "players" and why in said


@pytest.mark.parametrize(
    ("name", "new", "why"),
    [
        ("note", 1, "the entry has an unknown field 'note'"),
        ("seq", 3, "the entry's seq is not 2"),
        ("at", "soon", "at"),
        ("seat", 3, "the seat is one of the game's, or null"),
        ("seat", "1", "the seat is one of the game's, or null"),
        ("seat", None, "only an end and the host's marks have no seat"),
        ("by", "", 'by is "host" or a bot'),
        ("by", "bot:" + "x" * 61, 'by is "host" or a bot'),
        ("by", None, 'by is "host" or a bot'),
        ("by", "host", "the host's entries are ends and marks"),
        ("move", {"type": "jump"}, "jump"),
    ],
    ids=str,
)
def test_an_entry_of_another_form_is_refused_though_its_chain_holds(name: str, new: object, why: str) -> None:
    where, said = found(changed(running(), ("log", 1, name), new))
    assert where == 2 and why in said


@pytest.mark.parametrize(
    ("name", "new", "why"),
    [
        ("more", 1, "the result has an unknown field 'more'"),
        ("reason", "won", "the reason is one of discs, tiles, left, ended"),
        ("ranking", [0, 1, 3], "the ranking has seats, or is null"),
        ("ranking", {}, "the ranking has seats, or is null"),
        ("discs_left", [0, 1], "discs_left has a number for each seat"),
        ("discs_left", [0, 1, 22], "discs_left has a number for each seat"),
        ("discs_left", None, "discs_left has a number for each seat"),
    ],
    ids=str,
)
def test_a_result_of_another_form_is_refused(name: str, new: object, why: str) -> None:
    value = finished()
    value["result"][name] = new
    where, said = found(value)
    assert where == "result" and why in said


@pytest.mark.parametrize("name", ["first_total", "second_total", "score"])
def test_the_numbers_of_a_solos_result_are_whole_or_null(name: str) -> None:
    for new in (-1, "5", True):
        value = finished(seats=1, leave="0")
        value["result"][name] = new
        assert found(value) == ("result", f"{name} is a number or null")


@pytest.mark.parametrize(
    "new",
    [
        None,
        {"reason": "discs"},
        {"reason": "won", "ranking": [0, 1, 2], "discs_left": [0, 1, 2]},
        {"reason": "discs", "ranking": None, "discs_left": [0, 0, 0]},
        {"reason": "discs", "ranking": [0, 1, 2], "discs_left": [0, 1]},
        {"reason": "discs", "ranking": [0, 1, True], "discs_left": [0, 1, 2]},
    ],
)
def test_a_wrong_result_is_the_result(new: object) -> None:
    value = finished()
    value["result"] = new
    assert broken(value) == "result"


def test_names_are_not_hashed_but_have_a_form() -> None:
    value = finished()
    value["players"][0]["name"] = None
    value["players"][1]["name"] = "Someone else"
    audit.check(record.line(value))
    value["players"][1]["name"] = 5
    assert broken(value) == "players"
    value["players"].pop()
    assert broken(value) == "players"


def test_an_entry_left_out_put_in_or_moved_is_found() -> None:
    value = finished(leave="0")
    del value["log"][3]
    assert broken(value) == 4
    value = finished(leave="0")
    value["log"].insert(3, value["log"][2])
    assert broken(value) == 4
    value = finished(leave="0")
    value["log"][3], value["log"][4] = value["log"][4], value["log"][3]
    assert broken(value) == 4
    value = finished(leave="0")
    value["log"].pop()
    assert broken(value) == "result"


def test_an_illegal_move_is_named_with_its_ruling_though_the_chain_holds() -> None:
    value = finished(leave="0")
    value["log"][4]["move"] = {"type": "place", "tile": value["log"][0]["move"]["tile"], "x": 0, "y": 0}
    line = record.line(chained(value))
    with pytest.raises(RecordError, match=r"ruling 2\.3") as error:
        audit.check(line)
    assert error.value.where == 5


def test_a_header_changed_with_its_chain_made_again_is_found_by_the_draw() -> None:
    value = finished(leave="0")
    value["draw"]["stack"].reverse()
    assert broken(chained(value)) == 0


def test_time_never_goes_back() -> None:
    value = finished(leave="0")
    value["log"][4]["at"] = value["log"][2]["at"]
    assert broken(chained(value, 5)) == 5
    value = finished(leave="0")
    value["log"][0]["at"] = "2026-01-01T00:00:00.000Z"
    assert broken(chained(value)) == 1


@pytest.mark.parametrize(
    ("seat", "move", "by", "holds"),
    [
        (None, END, "host", True),
        (None, END, None, True),
        (None, END, "bot:greedy", False),
        (0, END, None, False),
        (None, Mark("pause"), "host", True),
        (None, Mark("pause"), None, False),
        (0, Mark("pause"), "host", False),
        (1, Mark("pause"), None, True),
        (0, moves.TIMEOUT, "host", False),
        (0, moves.TIMEOUT, "bot:greedy", False),
        (0, moves.TIMEOUT, None, True),
        (0, moves.RESIGN, "host", False),
        (0, moves.RESIGN, "somebody", False),
    ],
)
def test_an_entry_holds_only_if_its_maker_may_have_made_it(
    seat: int | None, move: Move, by: str | None, holds: bool
) -> None:
    value = json.loads(VECTORS[13])  # a running match of three
    seq = len(value["log"]) + 1
    last = value["log"][-1]
    value["log"].append(record.entry(seq, last["at"], seat, move, by, last["hash"]))
    if move == END:
        value["draw"]["server_seed"] = None
        value["result"] = {"reason": "ended", "ranking": None, "discs_left": discs_left(value)}
        value["draw"]["subject"] = "a shared draw"  # still open: no seed, and the tiles shown
        value = chained(value)
    if holds:
        audit.check(record.line(value))
    else:
        assert broken(value) == seq


def discs_left(value: dict[str, Any]) -> list[int]:
    """Return the discs left at the end of a record's log, whatever its result says."""
    state = record.start(value, value["draw"]["tiles"])
    for entry in value["log"]:
        state.advance(entry["seat"] if entry["move"]["type"] != "end" else None, moves.from_json(entry["move"]))
    return state.discs_left


def test_a_running_record_shows_exactly_the_tiles_shown() -> None:
    value = json.loads(VECTORS[13])
    audit.check(record.line(value))
    more = json.loads(VECTORS[13])
    more["draw"]["tiles"].append(next(tile for tile in range(1, 69) if tile not in more["draw"]["tiles"]))
    assert broken(more) == 0
    fewer = json.loads(VECTORS[13])
    fewer["draw"]["tiles"].pop()
    assert broken(fewer) == 0
    twice = json.loads(VECTORS[13])
    twice["draw"]["tiles"][-1] = twice["draw"]["tiles"][0]
    assert broken(twice) == 0
    taken = json.loads(VECTORS[13])
    place = taken["draw"]["tiles"].index(taken["log"][0]["move"]["tile"])
    taken["draw"]["tiles"][place] = next(tile for tile in range(1, 69) if tile not in taken["draw"]["tiles"])
    assert broken(taken) == 0


def test_a_running_record_shows_neither_seed_nor_result() -> None:
    value = json.loads(VECTORS[13])
    value["draw"]["server_seed"] = "0" * 64
    assert broken(value) == 0
    value = json.loads(VECTORS[13])
    value["result"] = {"reason": "ended", "ranking": None, "discs_left": [20, 20, 20]}
    assert broken(value) == "result"


def test_a_finished_game_on_an_open_shared_draw_has_no_seed() -> None:
    value = finished(seats=1, leave="0")
    value["draw"]["subject"] = "daily:2026-11-27"
    value["draw"]["server_seed"] = None
    value["draw"]["tiles"] = value["draw"]["tiles"][:22]
    audit.check(record.line(chained(value)))
    value["draw"]["subject"] = value["game"]["id"]
    assert broken(chained(value)) == 0
