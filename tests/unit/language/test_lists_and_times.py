"""Lists and times in each language."""

from datetime import UTC, datetime
from typing import Literal

import pytest

from service.language.languages import CODES, language, looked_up

AT = datetime(2026, 11, 27, 20, 56, tzinfo=UTC)


@pytest.mark.parametrize(
    ("code", "zone", "expected"),
    [
        ("en", "UTC", "27 November 2026, 20:56 UTC"),
        ("en", "Europe/London", "27 November 2026, 20:56 GMT"),
        ("de", "Europe/Berlin", "27. November 2026, 21:56 MEZ"),
        ("fr", "Europe/Paris", "27 novembre 2026, 21:56 UTC+1"),
        ("es", "America/Bogota", "27 de noviembre de 2026, 15:56 GMT-5"),
        ("es", "Asia/Kathmandu", "28 de noviembre de 2026, 2:41 GMT+5:45"),
        ("fr", "Africa/Casablanca", "27 novembre 2026, 21:56 UTC+1"),
        ("de", "Africa/Casablanca", "27. November 2026, 21:56 GMT+1"),
        ("es", "America/Caracas", "27 de noviembre de 2026, 16:56 GMT-4"),
        ("de", "Pacific/Kiritimati", "28. November 2026, 10:56 GMT+14"),
    ],
)
def test_a_time_is_told_with_its_zone(code: str, zone: str, expected: str) -> None:
    assert language(code).moment(AT, zone) == expected


def test_a_zone_without_a_name_that_is_at_no_distance_has_none() -> None:
    summer = datetime(2026, 7, 1, 12, tzinfo=UTC)
    assert [language(code).moment(summer, "Atlantic/Azores") for code in ("en", "fr")] == [
        "1 July 2026, 12:00 GMT",
        "1er juillet 2026, 12:00 UTC",
    ]


@pytest.mark.parametrize(
    ("items", "last", "expected"),
    [
        (["Ana", "Inés"], "and", "Ana e Inés"),
        (["Ana", "Bea", "Íñigo"], "and", "Ana, Bea e Íñigo"),
        (["y y", "Hilda"], "and", "y y e Hilda"),
        (["Ana", "Hiedra"], "and", "Ana y Hiedra"),
        (["Ana", "Óscar"], "and", "Ana y Óscar"),
        (["Ana", "Óscar"], "or", "Ana u Óscar"),
        (["«9@0,2»", "«8@0,2»"], "or", "«9@0,2» u «8@0,2»"),
        (["«9@0,2»", "«11 A»"], "or", "«9@0,2» u «11 A»"),
        (["«9@0,2»", "«18@0,2»", "«1 A»"], "or", "«9@0,2», «18@0,2» o «1 A»"),
        (["Inés"], "and", "Inés"),
        ([], "and", ""),
    ],
)
def test_a_spanish_list_sounds_well(items: list[str], last: Literal["and", "or"], expected: str) -> None:
    assert language("es").listed(items, last) == expected


def test_items_with_commas_are_told_apart() -> None:
    assert [language(code).joined(["a, b", "c", "d"]) for code in CODES] == [
        "a, b; c; d", "a, b\u00a0; c\u00a0; d", "a, b; c; d", "a, b; c; d"
    ]  # fmt: skip
    assert language("fr").joined([]) == "" and language("fr").joined(["a"]) == "a"


@pytest.mark.parametrize(
    ("ranges", "code"),
    [
        ([], "en"),
        (["fr-CA", "en"], "fr"),
        (["FR"], "fr"),
        (["de-DE-1996", "fr"], "de"),
        (["zh-Hant-CN", "es-419"], "es"),
        (["zh"], "en"),
        (["*"], "en"),
        (["*", "de"], "de"),
        (["frx", "deu-AT"], "en"),
        (["", "-", "de"], "de"),
    ],
)
def test_a_language_is_looked_up_range_by_range(ranges: list[str], code: str) -> None:
    assert looked_up(ranges).code == code


def test_french_dates_have_a_first_of_the_month() -> None:
    first, eleventh = (datetime(2027, 1, day, 12, tzinfo=UTC) for day in (1, 11))
    assert language("fr").day(first) == "1er janvier 2027" and language("fr").moment(first).startswith(
        "1er janvier 2027"
    )
    assert language("fr").day(eleventh) == "11 janvier 2027" and language("es").day(first) == "1 de enero de 2027"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Ann", "d’Ann"), ("Élodie", "d’Élodie"), ("Yves", "d’Yves"), ("Yann", "de Yann"), ("Ben", "de Ben"),
        ("Hugo", "de Hugo"), ("8ball", "de 8ball"),
    ],
)  # fmt: skip
def test_french_words_are_shortened_before_a_vowel(name: str, told: str) -> None:
    assert language("fr").say("The time of %(name)s is up.", name=name) == f"Le temps {told} est écoulé."
