"""A command as one line, in words that every language understands and that can be sent again."""

from datetime import time, timedelta

import pytest

from service.commands.command_text import as_text
from service.reading.commands import (
    Away,
    Back,
    Command,
    Join,
    MoreTime,
    New,
    Note,
    Pick,
    Quiet,
    QuietWindow,
    Refill,
    Reminders,
    Say,
    Speak,
    Unclear,
)
from service.reading.grammar import command
from service.reading.written_days import WrittenDay
from service.reading.written_terms import WrittenClock, WrittenLadder

DAY = timedelta(days=1)
EVERY_DAY, AT_THE_END = frozenset(range(7)), frozenset({6, 5})


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (Pick(2, None, "F", None, ""), "2 F"),
        (Pick(2, None, None, (1, -2), ""), "2 at 1,-2"),
        (Pick(None, 17, "F", None, ""), "tile 17 at F"),
        (Pick(None, 17, None, (1, -2), ""), "tile 17 at 1,-2"),
        (Refill(), "refill"),
        (Back(), "back"),
        (Say("hello"), "say hello"),
        (Note("hello"), "note hello"),
        (Join("abc"), "join abc"),
        (New(3, ()), "new 3"),
        (New(2, ("a@example.org", "b@example.org")), "new 2, a@example.org, b@example.org"),
        (New(None, ("a@example.org",)), "new, a@example.org"),
        (New(3, (), None, 1), "new 3, 1 bot"),
        (New(3, (), None, 2), "new 3, 2 bots"),
        (New(2, (), WrittenClock(3 * DAY)), "new 2, P3D a move"),
        (New(2, (), WrittenClock()), "new 2, no clock"),
        (New(2, (), WrittenClock(None, 5 * DAY, DAY)), "new 2, bank P5D plus P1D"),
        (New(2, (), WrittenClock(None, 5 * DAY, DAY, 9 * DAY)), "new 2, bank P5D plus P1D, at most P9D"),
        (New(2, (), None, 0, WrittenLadder(grace=timedelta())), "new 2, no grace"),
        (New(2, (), None, 0, WrittenLadder(DAY, 2 * DAY, "out")), "new 2, nudge P1D, grace P2D, then out"),
        (Away(None, None, 5), "away for P5D"),
        (Away(None, WrittenDay(5, 12)), "away until 5.12."),
        (Away(WrittenDay(5, 12), WrittenDay(7, 12, 2026)), "away 5.12. to 7.12.2026"),
        (Away(None, WrittenDay(5)), "away until 5."),
        (Away(None, WrittenDay(weekday=0)), "away until monday"),
        (Away(None, WrittenDay(ahead=1)), "away until tomorrow"),
        (Quiet(()), "quiet off"),
        (Quiet((QuietWindow(EVERY_DAY, time(22), time(7)),)), "quiet 22:00 to 07:00"),
        (Quiet((QuietWindow(AT_THE_END, time(0), time(9)),)), "quiet saturday sunday 00:00 to 09:00"),
        (MoreTime(None), "more time off"),
        (MoreTime(2 * DAY), "more time P2D"),
        (Reminders(None, "at_once"), "reminders on"),
        (Reminders(None, "off"), "reminders off"),
        (Reminders((DAY, "half"), "at_once"), "reminders P1D, half"),
        (Unclear("2 F or 3 F", "readings"), "2 F or 3 F"),
        (Speak("fr"), "français"),
    ],
)
def test_a_command_is_one_line(given: Command, line: str) -> None:
    assert as_text(given) == line


@pytest.mark.parametrize("line", ["2 F", "tile 17 at F", "refill", "say hello", "away until 5.12."])
def test_the_line_can_be_sent_again(line: str) -> None:
    again = command(line)
    assert again is not None and as_text(again) == line


def test_a_long_line_is_cut() -> None:
    line = as_text(Say("a" * 5000))
    assert line.startswith("say aaa") and len(line) < 200
