"""Durations and times of clocks in words."""

from datetime import UTC, datetime, timedelta

import pytest

from engine.phrases import phrase
from service.language.durations import duration, instant, say_why
from service.language.languages import ENGLISH, Reader, language

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)  # a Sunday


@pytest.mark.parametrize(
    ("time", "words"),
    [
        (timedelta(days=2, hours=4, minutes=59), "2 days 4 hours"),
        (timedelta(days=2, minutes=30), "2 days"),
        (timedelta(days=1), "1 day"),
        (timedelta(hours=23, minutes=59, seconds=59, milliseconds=999), "23 hours 59 minutes"),
        (timedelta(hours=1, minutes=1), "1 hour 1 minute"),
        (timedelta(minutes=5, seconds=59), "5 minutes"),
        (timedelta(seconds=59), "less than a minute"),
        (timedelta(), "0 minutes"),
    ],
)
def test_clocks_10_3_durations_are_cut_to_minutes_and_two_units(time: timedelta, words: str) -> None:
    assert duration(time, ENGLISH) == words


@pytest.mark.parametrize(
    ("code", "words"), [("fr", "2 jours 1 heure"), ("es", "2 días y 1 hora"), ("de", "2 Tage 1 Stunde")]
)
def test_clocks_10_3_durations_in_other_languages(code: str, words: str) -> None:
    assert duration(timedelta(days=2, hours=1), language(code)) == words


@pytest.mark.parametrize(
    ("at", "words"),
    [
        (datetime(2026, 12, 1, 18, 0, tzinfo=UTC), "Tuesday 18:00 UTC"),
        (datetime(2026, 12, 1, 18, 0, 59, 999_000, tzinfo=UTC), "Tuesday 18:00 UTC"),
        (datetime(2026, 11, 29, 13, 5, tzinfo=UTC), "Sunday 13:05 UTC"),
        (datetime(2026, 12, 5, 23, 59, tzinfo=UTC), "Saturday 23:59 UTC"),
        (datetime(2026, 12, 6, 0, 0, tzinfo=UTC), "Sunday, 6 December 2026, 00:00 UTC"),
    ],
)
def test_clocks_10_3_instants_are_cut_to_the_minute_before(at: datetime, words: str) -> None:
    assert instant(at, NOW, Reader()) == words


def test_clocks_10_3_instants_are_in_the_zone_of_the_reader() -> None:
    at = datetime(2026, 12, 1, 18, 0, tzinfo=UTC)
    assert instant(at, NOW, Reader(ENGLISH, "Europe/Berlin")) == "Tuesday 19:00 your time"
    assert instant(at, NOW, Reader(ENGLISH, "Pacific/Auckland")) == "Wednesday 07:00 your time"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("fr", "mardi 18:00 (ton heure)"),
        ("es", "el martes a las 18:00 (tu hora)"),
        ("de", "Dienstag, 18:00 Uhr (deine Zeit)"),
    ],
)
def test_clocks_10_2_instants_in_other_languages(code: str, words: str) -> None:
    assert instant(datetime(2026, 12, 1, 18, 0, tzinfo=UTC), NOW, Reader(language(code), "Africa/Abidjan")) == words


@pytest.mark.parametrize(
    ("code", "at", "words"),
    [
        ("es", datetime(2026, 12, 1, 1, 30, tzinfo=UTC), "el martes a la 01:30 (tu hora)"),
        ("es", datetime(2026, 12, 1, 11, 1, tzinfo=UTC), "el martes a las 11:01 (tu hora)"),
        ("es", datetime(2027, 1, 1, 1, 0, tzinfo=UTC), "el viernes, 1 de enero de 2027, a la 01:00 (tu hora)"),
        ("fr", datetime(2027, 1, 1, 1, 0, tzinfo=UTC), "vendredi 1er janvier 2027, 01:00 (ton heure)"),
        ("fr", datetime(2027, 1, 11, 1, 0, tzinfo=UTC), "lundi 11 janvier 2027, 01:00 (ton heure)"),
    ],
)
def test_the_first_day_and_hour_have_their_own_words(code: str, at: datetime, words: str) -> None:
    assert instant(at, NOW, Reader(language(code), "Africa/Abidjan")) == words


def test_a_reason_has_its_durations_in_words_and_all_else_as_it_is() -> None:
    why = phrase("The least here is %(least)s, the most %(most)s.", least="PT1H", most="P1DT12H")
    assert say_why(why, language("en")) == "The least here is 1 hour, the most 1 day 12 hours."
    assert say_why(phrase("There is no time zone %(zone)s.", zone="P"), language("en")) == "There is no time zone P."
