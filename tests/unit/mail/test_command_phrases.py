"""Commands about time as mails write them: each is read again as what it means, in every language."""

from datetime import time, timedelta

import pytest

from service.commands.command_text import as_text
from service.language.languages import CODES, language
from service.mail.command_phrases import as_line, in_words
from service.reading.commands import Away, Back, Keep, MoreTime, OfTime, Quiet, QuietWindow, Reminders
from service.reading.grammar import command
from service.reading.written_days import WrittenDay

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
        ("2 F", "en", None),
    ],
)
def test_a_stored_text_is_shown_in_the_readers_language(text: str, code: str, words: str | None) -> None:
    assert in_words(text, language(code)) == words
