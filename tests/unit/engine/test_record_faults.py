"""Records with one fault each are refused with the code and the entry that docs/FORMATS.md gives."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine import audit, record
from engine.errors import RECORD_CODES, RecordError
from tests.record_faults import FILE, lines
from tests.record_faults.games import GAMES

FAULTS: list[dict[str, Any]] = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def test_the_file_is_what_the_faults_give() -> None:
    assert "".join(lines()) == FILE.read_text(encoding="utf-8"), "run python -m tests.record_faults"
    assert len(FAULTS) >= 300


def test_the_games_are_valid_without_their_faults() -> None:
    for game in GAMES:
        audit.check(record.line(game))


@pytest.mark.parametrize("code", sorted({fault["code"] for fault in FAULTS}))
def test_faults_are_refused_with_code_and_entry(code: str) -> None:
    for fault in FAULTS:
        if fault["code"] == code:
            with pytest.raises(RecordError) as error:
                audit.check(fault["line"].encode())
            assert (error.value.code, error.value.entry) == (code, fault["entry"]), fault["why"]


def test_every_code_is_in_the_table_and_in_the_file() -> None:
    table = (Path(__file__).parents[3] / "docs" / "FORMATS.md").read_text().split("## Refusals")[1].split("## ")[0]
    assert {code for code in RECORD_CODES if f"| `{code}` |" in table} == set(RECORD_CODES)
    # These two have files of their own.
    assert {fault["code"] for fault in FAULTS} == set(RECORD_CODES) - {
        "clock",
        "origin",
    }


def test_a_time_beyond_the_year_9999_is_a_fault_of_the_clock() -> None:
    game = json.loads(record.line(GAMES[1]))
    late = "9999-12-31T23:59:59.999Z"
    mark = {"type": "mark", "kind": "clock.pause", "data": {"until": late, "reason": "x"}}
    prev = game["log"][-1]["hash"]
    entry = {"seq": len(game["log"]) + 1, "at": late, "seat": None, "by": "host", "move": mark, "prev": prev}
    game["log"].append(entry | {"hash": record.digest(entry)})
    with pytest.raises(RecordError) as error:
        audit.check(record.line(game))
    assert (error.value.code, error.value.entry) == ("clock", entry["seq"])
