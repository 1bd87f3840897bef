"""The oracle of clocks, held to the published vectors."""

import json
from typing import Any

import pytest

from tests.oracle.clocks.scenario import expected
from tests.oracle.tiles import DATA

LINES = [json.loads(line) for line in (DATA / "clock-vectors.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("line", LINES, ids=lambda line: str(line["id"]))
def test_clock_vectors_hold_for_the_oracle(line: dict[str, Any]) -> None:
    for reminder in line["expect"].get("reminders", ()):
        reminder["which"].sort()
    assert expected(line) == line["expect"]
