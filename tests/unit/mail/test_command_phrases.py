"""Commands about time as mails write them: each is read again as what it means, in every language."""

import re
from dataclasses import replace
from datetime import time, timedelta

import pytest

from service.commands.command_text import as_text
from service.language.languages import CODES, language
from service.mail.answer_lines import written
from service.mail.command_phrases import as_line, in_words, move_in_words
from service.reading.commands import (
    Away,
    Back,
    Block,
    Command,
    Join,
    Keep,
    MoreTime,
    New,
    Note,
    OfTime,
    Pick,
    Quiet,
    QuietWindow,
    Reminders,
    Say,
    Speak,
    Unblock,
)
from service.reading.grammar import WHOLE, command
from service.reading.written_days import WrittenDay
from service.reading.written_terms import WrittenClock, WrittenLadder

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
EVERY_DAY = frozenset(range(7))
COMMANDS: tuple[OfTime, ...] = (
    *(Away(None, WrittenDay(day, month)) for month in range(1, 13) for day in (1, 5)),
    Away(WrittenDay(1, 12), WrittenDay(5, 12)),
    Away(None, WrittenDay(5, 12, 2027)),
    *(Away(None, WrittenDay(weekday=day)) for day in range(7)),
    *(Away(None, WrittenDay(ahead=days)) for days in range(3)),
    Away(None, WrittenDay(5)),
    Away(None, None, 5),
    *(Away(day, day) for day in (WrittenDay(5, 12), WrittenDay(weekday=4), WrittenDay(ahead=1))),
    Back(),
    Keep(),
    MoreTime(2 * DAY),
    MoreTime(DAY + 12 * HOUR),
    MoreTime(DAY + HOUR + timedelta(minutes=1)),
    MoreTime(None),
    Quiet((QuietWindow(EVERY_DAY, time(22), time(7)),)),
    Quiet((QuietWindow(frozenset({0, 4}), time(22), time(7)), QuietWindow(frozenset({5, 6}), time(0), time(9, 15)))),
    Quiet(()),
    Reminders(("half", DAY, 3 * HOUR), "at_once"),
    Reminders(None, "off"),
    Reminders(None, "at_once"),
    Reminders(None, "digest"),
)

CLOCKS = (
    WrittenClock(3 * DAY),
    WrittenClock(DAY + HOUR),
    WrittenClock(),
    WrittenClock(None, 5 * DAY),
    WrittenClock(None, 5 * DAY, 12 * HOUR),
    WrittenClock(None, 5 * DAY, DAY, 9 * DAY),
)
LADDERS = (
    *(WrittenLadder(DAY, 2 * DAY, then) for then in ("out", "wait", "autopilot")),
    WrittenLadder(12 * HOUR, timedelta(), None, quiet=False, absences=False),
    WrittenLadder(then="wait", quiet=False),
)
NEW = (
    *(New(seats, addresses) for seats in (None, 3) for addresses in ((), ("a@b.org",), ("a@b.org", "c@d.org"))),
    *(New(2, ("a@b.org",), clock, bots) for clock in CLOCKS for bots in (0, 1, 2)),
    *(New(3, (), CLOCKS[0], 0, ladder) for ladder in LADDERS),
)
PICKS = (
    *(Pick(choice, None, "F", None, "") for choice in (1, 3)),
    *(Pick(None, tile, "AA", None, "") for tile in (2, 17)),
    Pick(2, None, None, (0, -1), ""),
    *(Pick(None, tile, None, (1, -2), "") for tile in (2, 17)),
)
OTHERS = (
    *dict.fromkeys(WHOLE.values()),
    Say("hi"),
    Note("hi"),
    Block("Ann"),
    Unblock("Ann"),
    Join("7QK2M-XN4TB"),
    *map(Speak, CODES),
)
ENGLISH = {
    "new",
    "move",
    "bank",
    "most",
    "nudge",
    "then",
    "out",
    "wait",
    "quiet",
    "times",
    "tile",
    "at",
    "undo",
    "away",
}


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("given", [*COMMANDS, *NEW, *OTHERS], ids=str)
def test_what_an_answer_quotes_can_be_sent_again_in_words(code: str, given: Command) -> None:
    line = written(as_text(given), language(code))
    assert command(line) == given, line
    assert not re.search(r"\bP(?=[\dT])", line)
    assert code == "en" or not {*re.findall(r"[a-z]+", line)} & ENGLISH, line


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("given", PICKS, ids=str)
def test_a_move_that_may_be_meant_can_be_sent_again_in_words(code: str, given: Pick) -> None:
    line = move_in_words(as_text(given), language(code))
    assert line is not None and command(line) == replace(given, raw=line)
    assert code == "en" or not {*re.findall(r"[a-z]+", line)} & ENGLISH, line


def test_a_text_that_was_cut_is_shown_as_far_as_it_goes() -> None:
    given = New(2, ("somebody-with-a-long-name@example.org",) * 2, CLOCKS[3], 1, LADDERS[0])
    assert as_text(given).endswith("…")
    line = in_words(as_text(given), language("de"))
    assert line == "neu 2, 1 Bot, Zeitkonto 5 Tage plus 0 Minuten, Erinnerung 1 Tag, Nachfrist 2 Tage, dann raus, …"


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("given", COMMANDS, ids=str)
def test_a_phrase_is_read_as_the_command_that_it_writes(code: str, given: OfTime) -> None:
    assert command(as_line(given, language(code))) == given  # type: ignore[arg-type]  # none of them is unclear


@pytest.mark.parametrize("given", COMMANDS, ids=str)
def test_the_text_in_an_outcome_is_read_as_its_command(given: OfTime) -> None:
    assert command(as_text(given)) == given


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("away until 5.12.", "en", "away until 5 December"),
        ("away until 5.12.", "fr", "absence jusqu’au 5 décembre"),
        ("away 1.12. to 5.12.", "es", "ausente del 1 de diciembre al 5 de diciembre"),
        ("more time P2D", "de", "mehr zeit 2 Tage"),
        ("quiet 22:00 to 07:00", "fr", "calme 22:00 à 07:00"),
        ("reminders P1D, PT3H", "es", "recordatorios 1 día, 3 horas"),
        ("new 2, P1D a move, x@example.org", "de", "neu 2, 1 Tag pro Zug, x@example.org"),
        ("new 2, x@example.org, P1D a move", "de", "neu 2, 1 Tag pro Zug, x@example.org"),
        ("2 F", "en", None),
    ],
)
def test_a_stored_text_is_shown_in_the_readers_language(text: str, code: str, words: str | None) -> None:
    assert in_words(text, language(code)) == words
