"""Simulated months of games with clocks on Postgres, by the commands and the jobs, come out as the oracle says."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from service.clock_vectors.run import differences, on_database
from service.jobs.worker_context import WorkerContext
from service.store.migrate import upgrade
from tests.oracle.clocks.scenario import expected
from tests.support.clock_lives import life
from tests.support.databases import make_module_database

__all__ = ["make_module_database"]

DAYS = 60


@pytest.fixture(scope="module")
def context(
    make_module_database: Callable[[], str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[WorkerContext]:
    url = make_module_database()
    upgrade(url)
    with on_database(url, tmp_path_factory.mktemp("lives")) as context:
        yield context


def lives(most: int) -> Iterator[dict[str, Any]]:
    """Yield lives of real matches in which every seat is a person's, as the service has no seats for bots."""
    number = found = 0
    while found < most:
        line = life(f"postgres {number}", DAYS, real=True)
        number += 1
        if "bot" not in line["settings"]["seats"]:
            found += 1
            yield line


@pytest.mark.drill
def test_lives_come_out_as_the_oracle_says(context: WorkerContext, amount: Callable[..., int]) -> None:
    for line in lives(amount(300, 3)):
        assert differences(context, {**line, "expect": expected(line)}) == [], line["id"]
