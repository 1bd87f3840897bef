"""Which day is meant by a day that somebody wrote."""

from datetime import date

import pytest

from service.reading.written_days import WrittenDay, both_days, last_day

TODAY = date(2026, 11, 29)  # a Sunday


@pytest.mark.parametrize(
    ("written", "day"),
    [
        (WrittenDay(5, 12), date(2026, 12, 5)),
        (WrittenDay(5, 2), date(2027, 2, 5)),
        (WrittenDay(29, 11), date(2026, 11, 29)),
        (WrittenDay(28, 11), date(2027, 11, 28)),
        (WrittenDay(29, 2), date(2028, 2, 29)),
        (WrittenDay(31), date(2026, 12, 31)),
        (WrittenDay(5, 12, 2027), date(2027, 12, 5)),
        (WrittenDay(29, 2, 2027), None),
        (WrittenDay(weekday=4), date(2026, 12, 4)),
        (WrittenDay(weekday=6), date(2026, 12, 6)),
        (WrittenDay(ahead=1), date(2026, 11, 30)),
        (WrittenDay(4, 12, weekday=4), date(2026, 12, 4)),
        (WrittenDay(4, weekday=4), date(2026, 12, 4)),
        (WrittenDay(4, 12, 2026, weekday=4), date(2026, 12, 4)),
        (WrittenDay(4, 12, weekday=3), None),
        (WrittenDay(4, 12, 2026, weekday=3), None),
    ],
)
def test_clocks_4_1_a_day_without_a_year_is_the_next_such_day(written: WrittenDay, day: date | None) -> None:
    assert last_day(written, TODAY) == day


@pytest.mark.parametrize(
    ("first", "last", "days"),
    [
        (WrittenDay(1), WrittenDay(5, 12), (date(2026, 12, 1), date(2026, 12, 5))),
        (WrittenDay(1, 12), WrittenDay(5), (date(2026, 12, 1), date(2026, 12, 5))),
        (WrittenDay(28, 12), WrittenDay(3), (date(2026, 12, 28), date(2027, 1, 3))),
        (WrittenDay(28, 12), WrittenDay(3, 1), (date(2026, 12, 28), date(2027, 1, 3))),
        (WrittenDay(20, 11), WrittenDay(5, 12), (date(2026, 11, 20), date(2026, 12, 5))),
        (WrittenDay(weekday=0), WrittenDay(weekday=4), (date(2026, 11, 30), date(2026, 12, 4))),
        (WrittenDay(ahead=1), WrittenDay(5, 12), (date(2026, 11, 30), date(2026, 12, 5))),
        (WrittenDay(1, 12, 2027), WrittenDay(5, 12, 2027), (date(2027, 12, 1), date(2027, 12, 5))),
        (WrittenDay(4, weekday=4), WrittenDay(6, 12, weekday=6), (date(2026, 12, 4), date(2026, 12, 6))),
        (WrittenDay(4, 12, weekday=4), WrittenDay(weekday=6), (date(2026, 12, 4), date(2026, 12, 6))),
        (WrittenDay(28, 12), WrittenDay(weekday=6), (date(2026, 12, 28), date(2027, 1, 3))),
        (WrittenDay(28, 11), WrittenDay(weekday=4), (date(2026, 11, 28), date(2026, 12, 4))),
        (WrittenDay(weekday=5), WrittenDay(weekday=1), (date(2026, 12, 5), date(2026, 12, 8))),
        (WrittenDay(weekday=6), WrittenDay(weekday=1), (date(2026, 11, 29), date(2026, 12, 1))),
        (WrittenDay(9, 12, weekday=2), WrittenDay(weekday=1), (date(2026, 12, 9), date(2026, 12, 15))),
        (WrittenDay(9, 12, weekday=3), WrittenDay(weekday=1), None),
        (WrittenDay(4, weekday=3), WrittenDay(6, 12, weekday=6), None),
        (WrittenDay(4, 12, 2026, weekday=3), WrittenDay(6, 12), None),
    ],
)
def test_clocks_4_1_the_first_day_is_the_latest_before_the_last(
    first: WrittenDay, last: WrittenDay, days: tuple[date, date] | None
) -> None:
    assert both_days(first, last, TODAY) == days
