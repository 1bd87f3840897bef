"""The vectors of the clock, on the pure functions alone (CLOCKS.md 12)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.clock_fold import run

VECTORS = [
    json.loads(line) for line in (Path(__file__).parents[2] / "data" / "clock-vectors.jsonl").read_text().splitlines()
]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_clocks_12_vector(vector: dict[str, Any]) -> None:
    assert run(vector) == vector["expect"]
