"""CLOCKS.md 12: what the audit accepts of a game with a clock, and what it refuses, by the log alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from engine import audit, moves, record
from engine.clock import marks
from engine.clock.audit import concerns
from engine.clock.mark_forms import is_reserved, read
from engine.errors import RecordError
from engine.moves import Mark
from tests.clock_records.lines import TAMPERED_FILE, VALID_FILE, tampered_lines, valid_lines
from tests.clock_records.tampering import DAY
from tests.clock_records.timed_game import BOT, TimedGame, bank, per_wait

VALID = VALID_FILE.read_bytes().splitlines(keepends=True)
TAMPERED = [json.loads(line) for line in TAMPERED_FILE.read_bytes().splitlines()]
KINDS = {
    "clock",
    "clock.nudge",
    "clock.grace",
    "clock.autopilot",
    "clock.back",
    "clock.keep",
    "clock.more",
    "clock.outage",
    "clock.warning",
    "clock.pause",
    "clock.resume",
    "host.out",
    "host.end",
}


def refused(value: record.Object) -> tuple[int | str, str]:
    """Return where and why the audit refuses a record."""
    with pytest.raises(RecordError) as error:
        audit.check(record.line(value))
    return error.value.where, error.value.why


def until(value: record.Object, seq: int) -> record.Object:
    """Return the record as it was before an entry, when the game still ran."""
    log = value["log"][: seq - 1]
    state = record.start(value, value["draw"]["tiles"])
    for entry in log:
        state.advance(entry["seat"], moves.from_json(entry["move"]))
    tiles = value["draw"]["tiles"][: state.wheel.shown]
    return value | {"log": log, "result": None, "draw": value["draw"] | {"server_seed": None, "tiles": tiles}}


def kinds(value: record.Object) -> set[str]:
    return {entry["move"]["kind"] for entry in value["log"] if entry["move"]["type"] == "mark"}


@pytest.mark.parametrize("line", VALID, ids=lambda line: json.loads(line)["game"]["id"])
def test_clocks_12_a_valid_game_is_accepted(line: bytes) -> None:
    audit.check(line)


@pytest.mark.parametrize("line", VALID, ids=lambda line: json.loads(line)["game"]["id"])
def test_clocks_12_a_valid_game_is_accepted_after_each_entry(line: bytes) -> None:
    value = json.loads(line)
    for seq in range(1, len(value["log"]) + 1):
        last = value["log"][seq - 2]["move"].get("kind") if seq > 1 else None
        if last not in ("host.out", "host.end"):
            audit.check(record.line(until(value, seq)))


@pytest.mark.parametrize("tampered", TAMPERED, ids=lambda tampered: str(tampered["id"]))
def test_clocks_12_a_tampered_game_is_refused_at_its_entry(tampered: dict[str, Any]) -> None:
    where, why = refused(tampered["record"])
    assert where == tampered["entry"] and tampered["why"] in why


@pytest.mark.parametrize("tampered", TAMPERED, ids=lambda tampered: str(tampered["id"]))
def test_clocks_12_only_the_named_entry_of_a_tampered_game_is_wrong(tampered: dict[str, Any]) -> None:
    value = until(tampered["record"], tampered["entry"])
    announced = value["log"] and value["log"][-1]["move"].get("kind") in ("host.out", "host.end")
    if announced:
        assert refused(value) == (tampered["entry"] - 1, tampered_promise(value))
    else:
        audit.check(record.line(value))


def tampered_promise(value: record.Object) -> str:
    """Return the audit's verdict on a log that ends with a mark of the host."""
    what = "the timeout" if value["log"][-1]["move"]["kind"] == "host.out" else "the end"
    return f"{what} that the host's word announces does not follow"


def test_scripts_make_the_clock_records_again() -> None:
    assert list(valid_lines()) == VALID
    assert TAMPERED_FILE.read_bytes().splitlines(keepends=True) == list(tampered_lines())


def test_clock_records_show_every_mark_right_and_wrong() -> None:
    assert set().union(*(kinds(json.loads(line)) for line in VALID)) == KINDS
    wrong = [tampered["record"]["log"][tampered["entry"] - 1]["move"] for tampered in TAMPERED]
    assert {move.get("kind", move["type"]) for move in wrong} >= KINDS | {"timeout", "end", "place"}
    assert len({tampered["id"] for tampered in TAMPERED}) == len(TAMPERED)


def test_clocks_12_late_is_no_fault() -> None:
    game = TimedGame("late", DAY)
    game.after("P40D").nudge("PT6H", "grace").after("P40D").grace("PT12H", "out").after("P40D").timeout()
    audit.check(record.line(game.record()))


@pytest.mark.parametrize(
    ("first", "left"),
    [("P4D", "P2D"), ("P1D", "P5D"), ("PT0M", "P6D"), ("P30D", "P1D")],
)
def test_clocks_2_5_a_banks_least_is_charged_credited_and_cut(first: str, left: str) -> None:
    def nudged(early: int) -> TimedGame:
        game = TimedGame("least", bank("P5D P1D P6D", then="out"))
        seat = game.turn
        game.after(first).play().after("PT1H").play()
        assert game.turn == seat and game.wait == game.seq == 3
        return game.after(left, -early).nudge("P1D", "out")

    audit.check(record.line(nudged(0).record()))
    where, why = refused(nudged(1).record())
    assert where == 4 and why.startswith("the nudge is early: the time is not up before 2026-")


def test_clocks_6_3_a_bank_is_empty_after_a_move_in_the_nudge() -> None:
    def nudged(early: int) -> TimedGame:
        game = TimedGame("emptied", bank("P5D P1D P7D", then="out"))
        seat = game.turn
        game.more("P14D", 1 - seat).after("P19D").nudge("P1D", "out").pass_turn().reach(seat)
        return game.after("P1D", -early).nudge("P1D", "out")

    audit.check(record.line(nudged(0).record()))
    assert refused(nudged(1).record())[0] == nudged(1).seq


def test_clocks_6_6_an_own_move_from_autopilot_earns_no_increment() -> None:
    def nudged(early: int) -> TimedGame:
        game = TimedGame("taken back", bank("P5D PT6H P7D"))
        seat = game.turn
        game.after("P5D").nudge("P1D", "autopilot").after("P1D").autopilot().pass_turn().reach(seat)
        return game.after("PT6H", -early).nudge("P1D", "autopilot")

    audit.check(record.line(nudged(0).record()))
    assert refused(nudged(1).record())[0] == nudged(1).seq


def test_clocks_6_6_a_stretch_that_is_taken_back_has_the_whole_time() -> None:
    def nudged(early: int) -> TimedGame:
        game = TimedGame("whole", per_wait("P3D", "PT1H", None, "autopilot"))
        game.after("P3D").nudge("PT1H", "autopilot").after("PT1H").autopilot().after("P1D").mark(marks.Back())
        return game.after("P3D", -early).nudge("PT1H", "autopilot")

    audit.check(record.line(nudged(0).record()))
    assert refused(nudged(1).record())[0] == nudged(1).seq


def test_clocks_7_5_what_was_left_stays_beside_what_is_given() -> None:
    def nudged(early: int) -> TimedGame:
        game = TimedGame("given", per_wait("P1D", "PT1H", None, "out"))
        game.after("PT18H").more("P2D", 1 - game.turn)
        return game.after("P2DT6H", -early).nudge("PT1H", "out")

    audit.check(record.line(nudged(0).record()))
    assert refused(nudged(1).record())[0] == 3


def test_clocks_7_5_the_host_gives_more_than_28_days() -> None:
    game = TimedGame("host gives", DAY)
    for _ in range(3):
        game.after("PT1H").host_more("P14D", game.turn)
    game.after("PT1H").more("P14D", 1 - game.turn).more("P14D", 1 - game.turn)
    audit.check(record.line(game.record()))


def test_clocks_7_2_a_step_may_come_when_the_pause_has_ended() -> None:
    game = TimedGame("paused", DAY)
    game.pause("P1D").after("P1D").nudge("PT6H", "grace")
    audit.check(record.line(game.record()))


def test_clocks_7_3_a_reason_has_up_to_200_characters() -> None:
    game = TimedGame("reasons", DAY).after("PT1H")
    game.mark(marks.HostPause(game.now + timedelta(minutes=1), "x")).mark(marks.HostResume("é" * 200))
    audit.check(record.line(game.record()))


@pytest.mark.parametrize("plays", ["bot", "person"])
def test_clocks_12_a_seat_with_no_move_yet_can_be_a_bots(plays: str) -> None:
    game = TimedGame("nobody knows", per_wait("P1D", "PT1H", None, "autopilot"))
    game.after("P1D").nudge("PT1H", "autopilot").after("PT1H").autopilot()
    if plays == "bot":
        game.end()
    else:
        game.after("PT0M", 500).pass_turn(BOT).after("P1D").nudge("PT1H", "autopilot")
    audit.check(record.line(game.record()))


def test_marks_of_other_kinds_and_old_games_are_as_free_as_before() -> None:
    game = TimedGame("free", None, seats=3)
    game.play(BOT).raw("nudge").raw("clocked", {"wait": 9}).raw("hostess", [], by="host").timeout()
    audit.check(record.line(game.record()))
    game.end()
    audit.check(record.line(game.record()))
    assert not concerns(game.entries)


def test_other_marks_may_stand_in_a_game_with_a_clock() -> None:
    game = TimedGame("noted", DAY)
    audit.check(record.line(game.raw("note", "hello").raw("pause", by="host").record()))


@pytest.mark.parametrize("kind", ["clock", "clock.", "clock.nudge", "host.", "host.end"])
def test_kinds_of_clock_and_host_are_reserved_in_lower_case_alone(kind: str) -> None:
    assert is_reserved(kind)
    assert not is_reserved(kind.upper()) and not is_reserved("x" + kind)


@pytest.mark.parametrize(
    "tamper",
    [
        lambda entry: entry.update(move=7),
        lambda entry: entry.update(move={"type": "mark", "kind": ["clock"]}),
        lambda entry: entry.update(seat=[1], by={}),
        lambda entry: entry.clear(),
    ],
)
def test_a_log_of_another_form_is_refused_before_its_clock(tamper: Callable[[record.Object], object]) -> None:
    value = TimedGame("formless", DAY).play().play().record()
    tamper(value["log"][1])
    assert refused(value)[0] == 2


def test_a_mark_that_is_no_entry_is_refused_as_before() -> None:
    value = TimedGame("nothing", DAY).play().record()
    value["log"][0] = None
    assert refused(value)[0] == 1
    assert not concerns([None, {}, {"move": {"type": "mark"}}])


def test_marks_are_written_as_they_are_read() -> None:
    for line in VALID:
        for entry in json.loads(line)["log"]:
            move = moves.from_json(entry["move"])
            if isinstance(move, Mark):
                value = read(move)
                assert value is not None and marks.write(value) == move
