"""The vectors of the text notation, which were made elsewhere."""

import doctest
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from engine.moves import Mark, Move
from engine.notation import Refusal, errors, from_record, printer, read, record_line, result_line, tags, text, times
from engine.text import render

FILE = Path(__file__).parents[3] / "data" / "notation-vectors.jsonl"
VECTORS: list[dict[str, Any]] = [json.loads(line) for line in FILE.read_text().splitlines()]


def named(move: Move) -> str:
    return f"mark {move.kind}" if isinstance(move, Mark) else render(move)


@pytest.mark.parametrize("vector", [each for each in VECTORS if "canonical" in each], ids=lambda each: each["name"])
def test_a_vector_is_read_and_printed(vector: dict[str, Any]) -> None:
    game = read(vector["input"].encode())
    assert text(game) == vector["canonical"]
    assert [[entry.seat, named(entry.move)] for entry in game.entries] == vector["moves"]
    assert read(vector["canonical"].encode()) == game
    if "short" in vector:
        assert text(game, times=False) == vector["short"]
    line = record_line(game) if game.complete else None
    assert (line and hashlib.sha256(line).hexdigest()) == vector["record_sha256"]
    if line and game.comments == () and not any(entry.notes or entry.sign for entry in game.entries):
        assert text(from_record(json.loads(line))).splitlines()[-1] == vector["canonical"].splitlines()[-1]


@pytest.mark.parametrize("vector", [each for each in VECTORS if "refused" in each], ids=lambda each: each["name"])
def test_a_vector_is_refused(vector: dict[str, Any]) -> None:
    with pytest.raises(Refusal) as error:
        read(vector["input"].encode())
    assert {"line": error.value.line, "code": error.value.code} == vector["refused"]


def test_the_document_has_a_text_that_is_read_and_all_codes() -> None:
    page = (Path(__file__).parents[4] / "docs" / "NOTATION.md").read_text()
    example = page.split("```")[1]
    assert "9. A 8@0,1! +22.1\n(\n" in text(read(example.encode()))
    table = page.split("## Refusals")[1].split("## ")[0]
    assert {code for code in errors.CODES if f"`{code}`" in table} == set(errors.CODES)


@pytest.mark.parametrize("module", [printer, result_line, tags, times], ids=lambda module: str(module.__name__))
def test_the_examples_of_the_notation_hold(module: Any) -> None:
    assert doctest.testmod(module).failed == 0
