"""Any text, made safe where one line is expected."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.language.sanitize import is_right_to_left, one_line, printable


@given(st.text(st.characters()))
def test_a_line_has_no_control_character_and_no_direction_trick(text: str) -> None:
    line = one_line(text)
    assert not {unicodedata.category(c) for c in line} & {"Cc", "Cs", "Zl", "Zp"}
    assert not {unicodedata.bidirectional(c) for c in line} & {
        "RLO",
        "LRO",
        "RLE",
        "LRE",
        "PDF",
        "RLI",
        "LRI",
        "FSI",
        "PDI",
    }
    assert line == line.strip() and "  " not in line
    assert one_line(line) == line
    line.encode()


def test_nothing_else_is_lost() -> None:
    for name in ("Zoë", "Łucja Ż.", "Ярослав", "山田 太郎", "علی\u200cرضا", "O'Neill, Jr."):
        assert one_line(name) == name


def test_a_line_end_becomes_a_space() -> None:
    assert printable("a\r\nBcc: b") == "a  Bcc: b"
    assert one_line("a\r\n\u2028Bcc:\x00 b\u202e") == "a Bcc: b"


@pytest.mark.parametrize(("text", "expected"), [("Ann", False), ("علی", True), ("יעל", True), ("山田", False)])
def test_a_text_of_a_script_from_right_to_left_is_known_as_such(text: str, expected: bool) -> None:
    assert is_right_to_left(text) is expected
