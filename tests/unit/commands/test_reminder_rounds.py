"""Reminders of a stretch begin anew with each entry that gives more time in it."""

from types import SimpleNamespace
from typing import cast

import pytest

from service.commands import clock_steps
from service.queries.table import LoadedTable

MORE, NUDGE = 'mark clock.more {"for":"P1D"}', 'mark clock.nudge {"seat":0}'


@pytest.mark.parametrize(
    ("moves", "wait", "counted_from"),
    [
        ([], 0, 0),
        (["1@0,0"], 1, 1),
        (["1@0,0", NUDGE], 1, 1),
        (["1@0,0", MORE], 1, 2),
        (["1@0,0", MORE, NUDGE], 1, 2),
        (["1@0,0", MORE, NUDGE, MORE], 1, 4),
        ([MORE, "1@0,0", NUDGE], 2, 2),
    ],
)
def test_reminders_count_from_the_last_entry_that_gave_time(moves: list[str], wait: int, counted_from: int) -> None:
    table = cast(LoadedTable, SimpleNamespace(entries=SimpleNamespace(moves=moves)))
    assert clock_steps._round(table, wait) == counted_from
