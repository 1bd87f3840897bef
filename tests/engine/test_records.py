"""Records and their audit: what holds, and where a broken one is said to be broken."""

import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
import rfc8785

from engine import audit, moves, record, simulate
from engine.errors import RecordError
from engine.moves import END, Mark

VECTORS = (Path(__file__).parents[1] / "data" / "record-vectors.jsonl").read_bytes().splitlines(keepends=True)


def finished(**arguments):
    """A simulated record as an object."""
    arguments = {"games": 1, "seats": 3, "seed": "r", "bot": "random", "leave": "0.05"} | arguments
    return json.loads(next(iter(simulate.records(**arguments))))


def broken(value):
    """Where the audit says that a record is broken; the record is an object or a line."""
    line = value if isinstance(value, bytes) else record.line(value)
    with pytest.raises(RecordError) as error:
        audit.check(line)
    assert error.value.why
    return error.value.where


def chained(value, since=1):
    """The record with its chain made again from an entry on, as a forger would."""
    prev = record.digest(audit.header(value)) if since == 1 else value["log"][since - 2]["hash"]
    for entry in value["log"][since - 1 :]:
        entry.pop("hash")
        entry["prev"] = prev
        prev = entry["hash"] = record.digest(entry)
    return value


@pytest.mark.parametrize("line", VECTORS, ids=lambda line: json.loads(line)["game"]["id"])
def test_vectors_verify(line):
    audit.check(line)
    assert record.line(json.loads(line)) == line


def test_canonical_is_rfc_8785():
    value = {"b": [1, -7, 2**53 - 1, True, None], "a": 'é"\\/\x00\x1f\x7f\u2028😀\b\f\n\r\t', "": {"Z": 0, "z": {}}}
    assert record.canonical(value) == rfc8785.dumps(value)
    for line in VECTORS:
        assert record.canonical(json.loads(line)) == rfc8785.dumps(json.loads(line))


def test_stamps_have_24_characters():
    zone = timezone(timedelta(hours=2))
    assert record.stamp(datetime(2026, 11, 27, 22, 56, 0, 123999, tzinfo=zone)) == "2026-11-27T20:56:00.123Z"
    assert record.moment("2026-11-27T20:56:00.000Z") == datetime(2026, 11, 27, 20, 56, tzinfo=UTC)
    for text in ("2026-11-27T20:56:00Z", "2026-11-27T20:56:00.000+00:00", "2026-02-30T20:56:00.000Z", ""):
        with pytest.raises(ValueError, match="time|day"):
            record.moment(text)


@pytest.mark.parametrize(
    "spoil",
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
def test_any_other_spelling_is_broken(spoil):
    line = record.line(finished())
    spoiled = spoil(line)
    assert spoiled != line
    assert broken(spoiled) == "spelling"


def test_upper_case_hex_is_broken():
    value = finished()
    value["draw"]["server_seed"] = value["draw"]["server_seed"].upper()
    assert broken(value) == 0
    value = finished()
    value["log"][2]["hash"] = value["log"][2]["hash"].upper()
    assert broken(value) == 3


@pytest.mark.parametrize("value", [[], "x", None, 3, {}, {"format": "nova-luna-record/1"}])
def test_other_json_is_broken(value):
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
def test_a_changed_header_draw_or_tile_list_is_entry_0(path, new):
    value = finished(seed="header")
    part = value
    for name in path[:-1]:
        part = part[name]
    if part[path[-1]] == new:
        new = [2, 1, 0]
    part[path[-1]] = new
    assert broken(value) == 0


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
def test_a_changed_entry_is_named(seq, name, new):
    value = finished(leave="0")
    value["log"][seq - 1][name] = new
    assert broken(value) == seq


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
def test_a_wrong_result_is_the_result(new):
    value = finished()
    value["result"] = new
    assert broken(value) == "result"


def test_names_are_not_hashed_but_have_a_form():
    value = finished()
    value["players"][0]["name"] = None
    value["players"][1]["name"] = "Someone else"
    audit.check(record.line(value))
    value["players"][1]["name"] = 5
    assert broken(value) == "players"
    value["players"].pop()
    assert broken(value) == "players"


def test_an_entry_left_out_put_in_or_moved_is_found():
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


def test_an_illegal_move_is_named_with_its_ruling_though_the_chain_holds():
    value = finished(leave="0")
    value["log"][4]["move"] = {"type": "place", "tile": value["log"][0]["move"]["tile"], "x": 0, "y": 0}
    line = record.line(chained(value))
    with pytest.raises(RecordError, match=r"ruling 2\.3") as error:
        audit.check(line)
    assert error.value.where == 5


def test_a_header_changed_with_its_chain_made_again_is_found_by_the_draw():
    value = finished(leave="0")
    value["draw"]["stack"].reverse()
    assert broken(chained(value)) == 0


def test_time_never_goes_back():
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
def test_who_may_have_made_an_entry(seat, move, by, holds):
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


def discs_left(value):
    """The discs left at the end of a record's log, the result aside."""
    state = record.start(value, value["draw"]["tiles"])
    for entry in value["log"]:
        state.advance(entry["seat"] if entry["move"]["type"] != "end" else None, moves.from_json(entry["move"]))
    return state.discs_left


def test_a_running_record_shows_exactly_the_tiles_shown():
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


def test_a_running_record_shows_neither_seed_nor_result():
    value = json.loads(VECTORS[13])
    value["draw"]["server_seed"] = "0" * 64
    assert broken(value) == 0
    value = json.loads(VECTORS[13])
    value["result"] = {"reason": "ended", "ranking": None, "discs_left": [20, 20, 20]}
    assert broken(value) == "result"


def test_a_finished_game_on_an_open_shared_draw_has_no_seed():
    value = finished(seats=1, leave="0")
    value["draw"]["subject"] = "daily:2026-11-27"
    value["draw"]["server_seed"] = None
    value["draw"]["tiles"] = value["draw"]["tiles"][:22]
    audit.check(record.line(chained(value)))
    value["draw"]["subject"] = value["game"]["id"]
    assert broken(chained(value)) == 0
