"""Simulated months of games with clocks on Postgres, by the commands and the jobs, come out as the oracle says."""

from collections.abc import Callable, Iterator

import pytest

from service.clock_vectors.run import differences, on_database
from service.jobs.worker_context import WorkerContext
from service.store.migrate import upgrade
from tests.oracle.clocks.scenario import expected
from tests.support.clock_lives import life

DAYS = 60


@pytest.fixture(scope="module")
def context(
    make_module_database: Callable[[], str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[WorkerContext]:
    url = make_module_database()
    upgrade(url)
    with on_database(url, tmp_path_factory.mktemp("lives")) as context:
        yield context


@pytest.mark.slow
@pytest.mark.drill
def test_lives_come_out_as_the_oracle_says(context: WorkerContext, amount: Callable[..., int]) -> None:
    for number in range(amount(300, 1)):
        line = life(f"postgres {number}", DAYS, real=True)
        assert differences(context, {**line, "expect": expected(line)}) == [], line["id"]
