"""Printing and reading are inverse, and whatever is read is either a game or refused."""

import dataclasses
import json
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine import audit, record
from engine.moves import Mark
from engine.notation import Refusal, errors, from_record, read, record_line, split, text
from engine.notation.source import MOST_CHARACTERS
from tests.support.notated import annotated, random_record
from tests.unit.engine.notation.sources import ALONE, COMPLETE, DATA, EMPTY, KITCHEN, RUNNING, SEEDED, VARIED, VECTORS

SEEDS = st.integers(0, 2**32 - 1)
PIECES = (
    *"()[]#*=!?+>,.-@:'\"\\ \t\r\n\0\x7f\x85\u2212\u2028\ufeffé0179ABCDXabd{}",
    "\\u{a}", "mark ", "mark x data ", " data [1]", "by ", " by host", " at ", "refill", "resign", "timeout", "end",
    "(\n", ")\n", "\n*\n", "\n= discs", '[A "', '"]\n', "17 above 12", "0,0",
    "2026-11-27T20:56:00.123Z", "1. ", "# ", "X",
)  # fmt: skip


def mutated(rng: Random, source: str) -> bytes:
    """Return a text with a few pieces put in, cut out, doubled or moved, and seldom with any byte."""
    for _ in range(rng.randint(1, 3)):
        start = rng.randrange(len(source) + 1)
        end = min(len(source), start + rng.choice((0, 0, 1, 2, 10, 60)))
        put = rng.choice((rng.choice(PIECES), rng.choice(PIECES), source[start:end] * 2, ""))
        source = source[:start] + put + source[end:]
    data = bytearray(source.encode())
    if data and rng.random() < 0.05:
        data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data)


@pytest.mark.slow
@given(SEEDS)
def test_a_records_text_gives_the_records_bytes_back(seed: int) -> None:
    whole = random_record(Random(seed))
    line = record.line(whole)
    audit.check(line)
    game = from_record(whole)
    printed = text(game)
    assert read(printed.encode()) == game
    assert record_line(read(printed.encode())) == line


@pytest.mark.slow
@given(SEEDS, st.sampled_from([0.02, 0.05, 0.1]))
def test_comments_and_variations_are_kept(seed: int, density: float) -> None:
    rng = Random(seed)
    whole = random_record(rng)
    game = annotated(rng, from_record(whole), density)
    printed = text(game)
    assert read(printed.encode()) == game
    assert text(read(printed.encode())) == printed
    short = text(game, times=False)
    assert text(read(short.encode())) == short
    assert record_line(read(printed.encode())) == record.line(whole)


@given(SEEDS, st.sampled_from([ALONE, COMPLETE, KITCHEN, SEEDED, VARIED]))
@example(0, "")
def test_a_mutated_text_is_read_or_refused_with_line_and_code(seed: int, source: str) -> None:
    data = mutated(Random(seed), source)
    try:
        game = read(data)
    except Refusal as refusal:
        assert refusal.code in errors.CODES
        assert 0 <= refusal.line <= data.count(b"\n") + 1
    else:
        printed = text(game)
        assert text(read(printed.encode())) == printed
        if game.complete:
            audit.check(record_line(game))


@given(st.binary(max_size=200))
def test_arbitrary_bytes_are_refused_or_read(data: bytes) -> None:
    try:
        read(data)
    except Refusal as refusal:
        assert refusal.code in errors.CODES


def test_a_file_of_many_games_is_split_where_each_begins() -> None:
    texts = [str(vector["canonical"]) for vector in VECTORS.values() if "canonical" in vector]
    file = "\n\n".join(texts) + "# the end\n"
    games = list(split(file.encode().splitlines(keepends=True)))
    assert [text(read(data)) for _, data in games[:-1]] == texts[:-1]
    assert [file.splitlines()[first - 1] for first, _ in games] == ['[Format "nova-luna-text/1"]'] * len(texts)
    assert list(split([])) == []
    twice = [b'[Format "x"]\n', b"#\n", b'[Format "x"]\n', b"*\n"]
    assert list(split(twice)) == [(1, b"".join(twice))]
    assert list(split([*twice, *twice])) == [(1, b"".join(twice)), (5, b"".join(twice))]


def test_a_game_that_is_too_large_is_cut_and_refused() -> None:
    lines = [b'[Format "a"]\n', *([b"#" * 60_000 + b"\n"] * 20), b"*\n", b' [ FORMAT "a"]\n', b"*\n"]
    (first, data), (second, rest) = split(lines)
    assert (first, second, rest) == (1, 23, b' [ FORMAT "a"]\n*\n')
    assert len(data) < sum(map(len, lines[:22]))
    with pytest.raises(Refusal, match="1 MiB") as error:
        read(data)
    assert (error.value.line, error.value.code) == (0, "too_long")


def test_vectors_of_records_give_their_bytes_back() -> None:
    for line in (DATA / "record-vectors.jsonl").read_bytes().splitlines(keepends=True):
        assert record_line(read(text(from_record(json.loads(line))).encode())) == line


def test_a_game_may_have_just_a_mebibyte() -> None:
    comments = ("# " + "x" * 60_000 + "\n") * 17
    filled = f"{comments}#{'x' * ((1 << 20) - len(comments) - len(ALONE) - 2)}\n{ALONE}"
    assert len(filled.encode()) == 1 << 20
    assert read(filled.encode()).entries == read(ALONE.encode()).entries
    with pytest.raises(Refusal, match="1 MiB"):
        read(filled.encode() + b"\n")


@pytest.mark.parametrize("what", ["a name", "data"])
def test_a_record_whose_text_could_not_be_read_has_none(what: str) -> None:
    whole = json.loads(record_line(read(RUNNING.encode())))
    for length in (MOST_CHARACTERS, MOST_CHARACTERS // 2):
        if what == "a name":
            whole["players"][0]["name"] = "x" * length
        else:
            last = whole["log"][-1]
            mark = record.entry(last["seq"] + 1, last["at"], 0, Mark("x", "x" * length), None, last["hash"])
            whole["log"].append(mark)
        audit.check(record.line(whole))
        game = from_record(whole)
        if length == MOST_CHARACTERS:
            with pytest.raises(Refusal) as error:
                text(game)
            assert (error.value.line, error.value.code) == (0, "too_long") and "Line " in error.value.detail
            if what == "data":
                whole["log"].pop()
        else:
            assert record_line(read(text(game).encode())) == record.line(whole)


def test_a_text_that_would_be_printed_too_long_is_refused() -> None:
    value = "\ufeff" * (MOST_CHARACTERS // 4)
    game = read(f'{EMPTY}[X "{value}"]\n*'.encode())
    with pytest.raises(Refusal, match=r"begins with '\[X "):
        text(game)
    comment = "# " + "x" * 60_000 + "\n"
    game = read((EMPTY + comment * 17 + "mark x\n" + "*").encode())
    assert len(text(game)) > 17 * 60_000
    with pytest.raises(Refusal, match="1 MiB"):
        text(dataclasses.replace(game, comments=game.comments * 2))
