"""Messages, notes and token labels: one line, with something visible in it."""

import pytest

from service.access import free_text, names
from service.access.invalid_text import InvalidText
from tests.unit.language.test_visible import BLANK, FAMILY, FLAG, MARKED

HEAP = "Z" + "\u0301" * 6


@pytest.mark.parametrize("blank", BLANK, ids=lambda text: f"{ord(text):04X}")
def test_a_line_of_which_nothing_is_seen_is_refused(blank: str) -> None:
    for text in (blank, blank * 3, f" {blank} {blank}"):
        with pytest.raises(InvalidText, match=r"visible|one line"):
            free_text.check(text)
        assert not free_text.tidied(text) or not _is_taken(free_text.tidied(text))
        with pytest.raises(InvalidText):
            names.check(text)


def _is_taken(text: str) -> bool:
    try:
        return bool(free_text.check(text))
    except InvalidText:
        return False


@pytest.mark.parametrize(
    "text", ["hi", FLAG, f"hi {FAMILY}", "\u2764\ufe0f", "\u2801\u2800\u2803", "علی\u200cرضا", *MARKED]
)
def test_what_people_write_is_taken(text: str) -> None:
    assert _is_taken(text) and _is_taken(free_text.tidied(text))


@pytest.mark.parametrize(
    "text", ["a\u3164b", "a\uffa0", "\u115fa", "a\u200bb", "a\u202eb", "a\nb", "a\ufeffb", "a\u2063", HEAP]
)
def test_what_hides_or_heaps_is_refused_and_tidied_away(text: str) -> None:
    with pytest.raises(InvalidText):
        free_text.check(text)
    assert _is_taken(free_text.tidied(text))


def test_marks_on_names_are_bounded() -> None:
    for name in MARKED:
        assert names.check(name)
    for name in (HEAP, "Z" + "\u0316\u0301" * 12):
        with pytest.raises(InvalidText, match="marks"):
            names.check(name)


def test_a_length_is_kept_to() -> None:
    assert free_text.check("x" * 500) and free_text.check("x" * 60, 60)
    for text, most in (("x" * 501, 500), ("x" * 61, 60), ("\u0958" * 40, 60)):
        with pytest.raises(InvalidText, match=f"to {most} "):
            free_text.check(text, most)
