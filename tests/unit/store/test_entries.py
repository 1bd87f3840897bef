"""A stretch of a log, read column by column, has the entries that were written."""

from datetime import UTC, datetime, timedelta

import pytest

from service.store.entries import NONE, Entries
from service.store.log import Entry

AT = datetime(2026, 11, 27, 20, 56, 0, 123000, UTC)
WRITTEN = (
    Entry(8, AT, 0, "", "17@0,-2"),
    Entry(9, AT, 1, "bot:greedy", "refill"),
    Entry(10, AT + timedelta(days=2, milliseconds=7), None, "host", 'mark word {"a":"b c"}'),
    Entry(11, datetime(1969, 12, 31, 23, 59, 59, 999000, UTC), None, "", "end"),
)


@pytest.fixture
def entries() -> Entries:
    entries = Entries.read(7, None, [], "", "")
    for entry in WRITTEN:
        entries = entries.and_then(entry)
    return entries


def test_entries_are_made_when_asked_for(entries: Entries) -> None:
    assert tuple(entries) == WRITTEN and len(entries) == 4
    assert (entries[0], entries[-1], entries[1:3]) == (WRITTEN[0], WRITTEN[3], WRITTEN[1:3])
    assert entries.seats == [0, 1, None, None]
    with pytest.raises(IndexError):
        entries[4]


def test_one_more_leaves_those_before_as_they_were(entries: Entries) -> None:
    assert NONE.and_then(WRITTEN[0])[0] == WRITTEN[0]._replace(seq=1)
    entries.and_then(WRITTEN[0])
    assert tuple(entries) == WRITTEN
    assert len(NONE) == 0
