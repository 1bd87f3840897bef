"""The audit and the verifier in JavaScript refuse the same records, and name the same first bad entry and code."""

from collections import Counter
from collections.abc import Callable
from itertools import count
from random import Random

import pytest

from engine import record, simulate
from tests.drills import tamper
from tests.exploration_records import VALID_FILE
from tests.oracle.clocks.scenario import expected
from tests.record_faults import FILE
from tests.support.clock_life_records import line_of_record
from tests.support.clock_lives import life
from tests.support.javascript import audited, needs_node, verify
from tests.support.notated import random_record

pytestmark = [pytest.mark.drill, needs_node]

CLOCKS = FILE.parent / "clock-record-vectors.jsonl"
RECORDS = FILE.parent / "record-vectors.jsonl"


def sources(count: int) -> list[bytes]:
    """Return valid records: random ones, those of bots, and those of games with clocks."""
    made = [record.line(random_record(Random(number))) for number in range(count)]
    made += [
        line for seats in range(1, 5) for line in simulate.records(count // 8, seats, "two", "greedy", leave="0.02")
    ]
    return made + CLOCKS.read_bytes().splitlines(keepends=True)


def compared(tampered: list[tamper.Tampered]) -> list[tuple[str, int | None] | None]:
    """Return the verdicts of both verifiers on each line, after comparing them."""
    lines = [each.line for each in tampered]
    found = verify(lines)
    for each, other in zip(tampered, found, strict=True):
        assert audited(each.line) == other, each.what
    return found


def random_source(number: int) -> bytes:
    """Return a record that no other number gives: of any kind and length, running or over, with a clock or without."""
    if number % 5 == 0:
        lived = life(f"tampered {number}", 60, real=True)
        return line_of_record(lived, expected(lived))
    if number % 5 == 1:
        return next(simulate.records(1, 1 + number % 4, f"tampered {number}", "greedy", leave="0.02"))
    return record.line(random_record(Random(number)))


KINDS = {
    "format", "rules", "game.id", "game.kind", "game.seats", "game.goal_discs", "game.created_at", "game.started_at",
    "draw.algorithm", "draw.subject", "draw.commitment", "draw.entropy.*", "draw.server_seed", "draw.stack.*",
    "draw.tiles.*", "log.*.seq", "log.*.at", "log.*.seat", "log.*.by", "log.*.prev", "log.*.hash", "log.*.move.type",
    "log.*.move.tile", "log.*.move.x", "log.*.move.y", "log.*.move.kind", "log.*.move.data", "log.*.move.data.wait",
    "log.*.move.data.for", "log.*.move.data.next", "result", "result.reason", "result.discs_left.*",
    "result.ranking.*", "result.score", "result.first_total", "result.second_total",
}  # fmt: skip
"""Kinds of values that must have been changed: of header, draw, clocks, marks, solos and results."""


@pytest.mark.slow
def test_one_value_or_byte_changed_is_refused_by_both(amount: Callable[..., int]) -> None:
    rng, reached = Random(16), Counter[str]()
    tampered: list[tamper.Tampered] = []
    records = amount(1000)
    for number in count():
        line = random_source(number)
        # Before the first entry, no hash binds the header.
        if b'"log":[]' in line:
            continue
        changed = tamper.byte_changed(line, rng) if len(tampered) % 2 else tamper.value_changed(line, rng, reached)
        tampered.append(changed)
        if len(tampered) == records:
            break
    found = compared(tampered)
    for each, told in zip(tampered, found, strict=True):
        assert told is not None, each.what
        if isinstance(each.where, int) and each.where:
            assert told[1] in (each.where, 0 if each.where == 1 else None) or told == ("draw", 0), each.what
    assert set(reached) >= KINDS or records < 1000, KINDS - set(reached)
    print(Counter(each[0] for each in found if each))


@pytest.mark.slow
def test_forged_chains_and_shapes_are_judged_alike(amount: Callable[..., int]) -> None:
    rng = Random(61)
    good, tampered = sources(amount(80, 16)), []
    for number in range(amount(4000, 300)):
        line = rng.choice(good)
        if number % 3:
            tampered.append(tamper.forged(line, rng))
        else:
            tampered.append(tamper.shape_changed(line, rng))
    found = compared(tampered)
    assert len({each[0] for each in found if each}) > 6
    print(Counter(each[0] if each else "valid" for each in found))


@pytest.mark.slow
def test_values_of_other_types_are_judged_alike(amount: Callable[..., int]) -> None:
    lines = [line for line in RECORDS.read_bytes().splitlines(keepends=True) if b'"log":[]' not in line]
    chosen = [
        next(line for line in lines if word in line)
        for word in (b'"timeout"', b'"resign"', b'"end"', b'"mark"', b'"refill"', b'"solo"')
    ]
    chosen += [next(CLOCKS.open("rb")), next(VALID_FILE.open("rb"))]
    found = compared([each for line in chosen for each in tamper.retyped(line, amount(1, 16))])
    assert len({each[0] for each in found if each}) > 6
    print(Counter(each[0] if each else "valid" for each in found))


def test_forged_steps_of_clocks_are_judged_alike(amount: Callable[..., int]) -> None:
    rng = Random(160)
    good = CLOCKS.read_bytes().splitlines(keepends=True)
    found = compared([tamper.forged(rng.choice(good), rng) for _ in range(amount(6000, 300))])
    assert sum(each is not None and each[0] == "clock" for each in found) > 50
    print(Counter(each[0] if each else "valid" for each in found))


@pytest.mark.slow
def test_tampered_explorations_are_judged_alike(amount: Callable[..., int]) -> None:
    rng, reached = Random(2016), Counter[str]()
    good = [line for line in VALID_FILE.read_bytes().splitlines(keepends=True) if b'"log":[]' not in line]
    tampered = [tamper.value_changed(rng.choice(good), rng, reached) for _ in range(amount(1000))]
    tampered += [tamper.byte_changed(rng.choice(good), rng) for _ in range(amount(1000))]
    assert None not in compared(tampered)
    tampered = [tamper.forged(rng.choice(good), rng) for _ in range(amount(3000, 300))]
    tampered += [tamper.shape_changed(rng.choice(good), rng) for _ in range(amount(1000, 100))]
    found = compared(tampered)
    assert sum(each is not None and each[0] == "origin" for each in found) > 5
    print(Counter(each[0] if each else "valid" for each in found))
