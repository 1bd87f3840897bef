"""How each language writes lists and times."""

from datetime import UTC, datetime

import pytest

from service.language.languages import CODES, language

AT = datetime(2026, 11, 27, 20, 56, tzinfo=UTC)


@pytest.mark.parametrize(
    ("code", "zone", "expected"),
    [
        ("en", "UTC", "27 November 2026, 20:56 UTC"),
        ("en", "Europe/London", "27 November 2026, 20:56 GMT"),
        ("de", "Europe/Berlin", "27. November 2026, 21:56 MEZ"),
        ("fr", "Europe/Paris", "27 novembre 2026, 21:56 UTC+01:00"),
        ("es", "America/Bogota", "27 de noviembre de 2026, 15:56 GMT-05:00"),
        ("es", "Asia/Kathmandu", "28 de noviembre de 2026, 2:41 GMT+05:45"),
    ],
)
def test_a_time_is_told_with_its_zone(code: str, zone: str, expected: str) -> None:
    assert language(code).moment(AT, zone) == expected


def test_items_with_commas_are_told_apart() -> None:
    assert [language(code).joined(["a, b", "c", "d"]) for code in CODES] == [
        "a, b; c; d", "a, b ; c ; d", "a, b; c; d", "a, b; c; d"
    ]  # fmt: skip
    assert language("fr").joined([]) == "" and language("fr").joined(["a"]) == "a"
