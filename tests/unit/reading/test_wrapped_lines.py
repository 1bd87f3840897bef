"""Commands on several lines, as programs wrap them and as people write them: all of it counts, or it is asked back."""

from datetime import timedelta
from textwrap import fill
from typing import Any

import pytest

from service.reading.commands import New, Quiet
from service.reading.incoming_mail import read
from service.reading.reply_parser import ReplyCommands, parse_reply
from service.reading.wrapped_lines import unwrapped
from tests.unit.reading.corpus import meant
from tests.unit.reading.eml import alternative, mail, page, plain

LONG = "new 4 players, pierre.dupont@example.org, juan.garcia@example.org, lea@example.org, 3 days a move, nudge 1 day"


def answer(text: str) -> ReplyCommands:
    return parse_reply(read(mail(plain(text))))


def opened(text: str) -> New:
    (asked,) = answer(text).commands
    assert isinstance(asked, New)
    return asked


@pytest.mark.parametrize("width", range(30, 110, 4))
def test_a_clock_that_is_wrapped_counts(width: int) -> None:
    wrapped = fill(LONG, width, break_long_words=False, break_on_hyphens=False)
    assert opened(wrapped) == opened(LONG)
    both = alternative(plain(wrapped), page(f"<div>{LONG}</div>"))
    assert parse_reply(read(mail(both))).commands == (opened(LONG),)


@pytest.mark.parametrize(
    "text",
    [
        "new 4 players, pierre@example.org, juan@example.org\n3 days a move",
        "new 4 players\npierre@example.org\nJuan <juan@example.org>\n3 days a move",
        "neu 4 Spieler, pierre@example.org, juan@example.org\n3 Tage pro Zug",
    ],
)
def test_a_clock_on_a_line_of_its_own_counts(text: str) -> None:
    asked = opened(text)
    assert asked.addresses == ("pierre@example.org", "juan@example.org")
    assert asked.clock is not None and asked.clock.per_wait == timedelta(days=3)


@pytest.mark.parametrize(
    "below", ["\n3 days a move", "3 days for it", "and ben@example.org too", "\nbank 3 days plus 1 day"]
)
def test_a_table_whose_clock_is_not_clear_is_asked_back(below: str) -> None:
    read_as = answer(f"new 3 players, ann@example.org\n{below}\n")
    assert read_as.commands == () and len(read_as.held) == 1


@pytest.mark.parametrize("below", ["\nSee you", "\nAnn\nann@example.org", "\nCheers,\nAnn\n3 days a week", "2 F"])
def test_what_is_no_part_of_a_table_does_not_hold_it(below: str) -> None:
    assert meant(answer(f"new 3 players, ben@example.org\n{below}\n"))[0] == "new 3 ben@example.org"


def test_quiet_times_on_two_lines_count() -> None:
    (asked,) = answer("quiet monday 22:00 to 07:00, tuesday 22:00 to 07:00,\nwednesday 21:00 to 08:00\n").commands
    assert isinstance(asked, Quiet) and len(asked.windows) == 3


class Counted(list[str | None]):
    """Lines that count how many of them were read."""

    read = 0

    def __getitem__(self, at: Any) -> Any:
        found = super().__getitem__(at)
        self.read += len(found) if isinstance(at, slice) else 1
        return found


def test_each_line_is_read_a_few_times_however_many_there_are() -> None:
    lines = Counted(["new 2", "3 days a move", ""] * 1_000)
    assert unwrapped(lines) == ["new 2 3 days a move", ""] * 1_000
    assert lines.read <= 6 * len(lines)
    assert len(lines) == 3_000, "and none is taken away"
