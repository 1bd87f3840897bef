"""Visible characters, too many marks on a letter, and shortening without splitting a character."""

import unicodedata
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.language.sanitize import one_line
from service.language.visible import (
    MOST_MARKS,
    can_be_seen,
    clusters,
    cut,
    has_too_many_marks,
    is_needless,
    is_unseen,
    without_stacks,
)

BLANK = (
    "\u3164", "\u2800", "\u115f", "\u1160", "\uffa0", "\u034f", "\u17b4", "\u17b5", "\u180b", "\u180e", "\u200b",
    "\u200d", "\u2060", "\u2063", "\ufeff", "\u00ad", "\ufe0f", "\U000e0100", "\U000e0041", "\U0001d159", "\U0001d173",
    "\U00016fe4", "\U00013441", "\u3000", "\u00a0", "\u1680", "\u2003", " ", "\u0301", "\u20dd", "\x00", "\n", "\ue000",
    "\ud800",
)  # fmt: skip

IGNORABLE = {
    code
    for first, last in [
        (0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
        (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
        (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
    ]
    for code in range(first, last + 1)
}  # fmt: skip
"""Default_Ignorable_Code_Point as DerivedCoreProperties.txt of Unicode 16 has it."""

BLANK_GLYPHS = {0x2800, 0x13441, 0x13442, 0x16FE4, 0x1D159}
"""The letters and symbols whose glyph is blank."""

FAMILY, FLAG, NAMASTE = (
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "\U0001f1eb\U0001f1f7",
    "\u0928\u092e\u0938\u094d\u0924\u0947",
)
SHALOM = "\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd"
MARKED = (
    "Nguy\u1ec5n Th\u1ecb Ph\u01b0\u1ee3ng", SHALOM, NAMASTE, "\u0e17\u0e35\u0e48",
    "\u0639\u064e\u0644\u064e\u0649\u0651",
    "\u05d1\u05bc\u05b0\u05e8\u05b5\u0591\u05d0\u05e9\u05bc\u05c1\u05b4\u0596\u05d9\u05ea", "Zo\u00eb",
)  # fmt: skip


@pytest.mark.parametrize("blank", BLANK, ids=lambda text: f"{ord(text):04X}")
def test_what_shows_nothing_is_not_seen_however_often_it_comes(blank: str) -> None:
    assert not can_be_seen(blank) and not can_be_seen(blank * 30) and not can_be_seen(f" {blank} ")
    assert can_be_seen(f"a{blank}")


def test_just_what_unicode_lets_be_ignored_or_leaves_blank_is_unseen() -> None:
    unseen = {code for code in range(0x110000) if is_unseen(chr(code))}
    assert unseen == IGNORABLE | BLANK_GLYPHS


def test_formats_that_are_seen_are_those_around_what_they_enclose() -> None:
    format = [c for c in map(chr, range(0x110000)) if unicodedata.category(c) == "Cf"]
    shown = {unicodedata.name(c).split()[0] for c in format if not is_unseen(c)}
    assert shown == {"ARABIC", "SYRIAC", "KAITHI", "EGYPTIAN", "INTERLINEAR"}


def test_what_some_writing_needs_is_not_needless() -> None:
    assert not any(map(is_needless, "\u200c\u200d\ufe0f\u034f\u2800\u180b"))
    assert all(map(is_needless, "\u3164\uffa0\u115f\u1160\u17b4"))


@pytest.mark.parametrize("text", MARKED)
def test_marks_that_people_write_stay(text: str) -> None:
    assert not has_too_many_marks(unicodedata.normalize("NFC", text))
    assert without_stacks(text) == text == one_line(text)


@pytest.mark.parametrize("heap", ["\u0301" * 24, "\u0301\u0316" * 12, "\u20dd" * 5, "\u0301\u200d" * 5, "\u0489" * 5,
                                  "\u0301\ufe0f\u034f" * 5])  # fmt: skip
def test_marks_heaped_on_a_letter_are_too_many(heap: str) -> None:
    assert has_too_many_marks(f"a{heap}b")
    left = without_stacks(f"a{heap}b")
    assert left[0] == "a" and left[-1] == "b" and not has_too_many_marks(left)
    assert one_line(f"a{heap}b") == left


@given(st.text(st.sampled_from("aé\u0301\u0316\u200d\u0e34שָׁ \u3164")))
def test_nothing_but_marks_is_taken_away(text: str) -> None:
    left = without_stacks(text)
    assert not has_too_many_marks(left)
    assert [c for c in left if unicodedata.category(c) != "Mn"] == [c for c in text if unicodedata.category(c) != "Mn"]


def test_what_belongs_together_is_one_cluster() -> None:
    together = [
        "e\u0301",
        FAMILY,
        FLAG,
        "\U0001f44d\U0001f3fd",
        "\u1112\u1161\u11ab",
        "\u2764\ufe0f",
        "a" + "\u0301" * MOST_MARKS,
        "\ud55c",
    ]
    assert list(clusters("".join(together))) == together
    assert list(clusters(FLAG * 2 + "ab")) == [FLAG, FLAG, "a", "b"]
    assert list(clusters("")) == []


@given(st.text(max_size=60), st.integers(1, 60))
def test_a_text_that_is_cut_is_no_longer_and_tears_nothing_apart(text: str, most: int) -> None:
    short = cut(text, most)
    if len(text) <= most:
        assert short == text
        return
    kept = short.removesuffix("…")
    assert len(short) <= most and short.endswith("…") and text.startswith(kept)
    ends = {0, *accumulate(map(len, clusters(text)))}
    assert len(kept) in ends or text[len(kept)].isspace()


def test_a_flag_is_cut_whole() -> None:
    assert cut(FLAG * 9, 8) == FLAG * 3 + "…"
    assert cut("Ann " + FAMILY, 8) == "Ann…"
