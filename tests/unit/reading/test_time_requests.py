"""Clock requests in everyday words: time for oneself, deadlines, holidays with the day of return."""

import pytest

from service.reading.commands import Away, MoreTime, Status, Unclear
from service.reading.grammar import command
from service.reading.written_days import WrittenDay


@pytest.mark.parametrize(
    "line",
    [
        "I need more time",
        "Can I have two more days?",
        "Can I have another day?",
        "Could I have some more time?",
        "I'd like 12 more hours",
        "Ich brauche mehr Zeit",
        "Kann ich noch zwei Tage haben?",
        "J'ai besoin de plus de temps",
        "Puis-je avoir un jour de plus ?",
        "Il me faut un peu plus de temps",
        "Necesito más tiempo",
        "¿Puedo tener dos días más?",
        "Necesito un poco más de tiempo",
    ],
)
def test_clocks_7_5_a_wish_for_ones_own_time_is_no_offer(line: str) -> None:
    assert command(line) == Unclear(line, "own")


@pytest.mark.parametrize(
    "line", ["I need two more tiles", "Can I have another try?", "I NEED MORE TIME", "I need more"]
)
def test_clocks_7_5_a_wish_for_something_else_is_none_for_time(line: str) -> None:
    assert command(line) is None


def test_clocks_7_5_an_offer_stays_one() -> None:
    assert isinstance(command("one more day please"), MoreTime)
    assert command("Plus de temps svp") == Unclear("Plus de temps", "time")


@pytest.mark.parametrize(
    "line",
    [
        "When is the deadline?",
        "Until when do I have time?",
        "Bis wann habe ich Zeit?",
        "Jusqu'à quand ai-je le temps ?",
        "¿Hasta cuándo tengo tiempo?",
    ],
)
def test_clocks_10_2_who_asks_for_the_deadline_gets_the_table(line: str) -> None:
    assert command(line) == Status()


@pytest.mark.parametrize(
    "line",
    [
        "je pars en vacances jusqu'à mardi",
        "Ich fahre in den Urlaub bis Dienstag",
        "me voy de vacaciones hasta el martes",
        "I'm going on holiday until Tuesday",
    ],
)
def test_clocks_4_1_who_leaves_on_holiday_is_away(line: str) -> None:
    assert command(line) == Away(None, WrittenDay(weekday=1))


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        (
            "I'll be on holiday from 10 to 20 December, back on the 21st",
            Away(WrittenDay(10), WrittenDay(20, 12)),
        ),
        ("Away until 31 December, I'll be back on 1 January", Away(None, WrittenDay(31, 12))),
        ("absent jusqu'au 20 décembre, de retour le 21", Away(None, WrittenDay(20, 12))),
        ("Ich bin bis 20. Dezember im Urlaub, wieder da am 21.", Away(None, WrittenDay(20, 12))),
        ("ausente hasta el 20 de diciembre y de vuelta el 21", Away(None, WrittenDay(20, 12))),
    ],
)
def test_clocks_4_1_the_day_of_return_may_follow_the_last_day(line: str, meant: Away) -> None:
    assert command(line) == meant


@pytest.mark.parametrize("line", ["Nice game, back on Friday", "nothing new and back on the 21st"])
def test_clocks_4_5_talk_with_a_day_of_return_is_no_absence(line: str) -> None:
    assert command(line) is None


@pytest.mark.parametrize("end", ["back on the 22nd", "back on the 20th", "back on Friday", "sorry, back on the 22nd"])
def test_clocks_4_1_a_day_of_return_that_does_not_fit_is_asked_back(end: str) -> None:
    line = f"away until 20 December, {end}"
    assert command(line) == Unclear(line, "day")
