"""The vectors of clocks give what they expect, through the real commands and jobs on Postgres."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from service.clock_vectors.run import differences, on_database
from service.jobs.worker_context import WorkerContext
from service.store.migrate import upgrade

DATA = Path(__file__).parents[2] / "data"
VECTORS = [
    json.loads(line)
    for name in ("clock-vectors.jsonl", "clock-cases.jsonl")
    for line in (DATA / name).read_text("utf-8").splitlines()
]


@pytest.fixture(scope="module")
def context(
    make_module_database: Callable[[], str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[WorkerContext]:
    url = make_module_database()
    upgrade(url)
    with on_database(url, tmp_path_factory.mktemp("vectors")) as context:
        yield context


@pytest.mark.slow
@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_clocks_12_a_vector_gives_what_it_expects(context: WorkerContext, vector: dict[str, Any]) -> None:
    assert differences(context, vector) == []


def test_clocks_12_what_differs_is_named(context: WorkerContext) -> None:
    vector = json.loads(json.dumps(VECTORS[0]))
    expected = vector["expect"]
    expected["log"][1]["at"] = "2026-05-06T09:30:00.001Z"
    expected["refused"] = [{"at": "2026-05-06T09:31:00.000Z", "type": "move", "seat": 1, "why": "left"}]
    found = differences(context, vector)
    assert [line.split(" ")[:2] for line in found] == [["log:", "expected"], ["log:", "got"], ["refused:", "expected"]]
