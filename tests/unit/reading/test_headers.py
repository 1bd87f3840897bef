"""The receiver and those who read a mail later parse its header alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.reading.headers import MOST_HEAD, Field, split, values
from service.reading.incoming_mail import read
from service.reading.parts import take_apart


@pytest.mark.parametrize(
    ("raw", "fields", "body"),
    [
        (b"Subject: a\r\n  b\r\n\tc\r\n\r\n2 F\r\n", [("subject", b"a b c")], b"2 F\n"),
        (b"From ann@example.org Sat Nov 28\nSubject : a\n\nb", [("subject", b"a")], b"b"),
        (b"Subject: a\nno field\nFrom: x@y\n\nb", [("subject", b"a")], b"no field\nFrom: x@y\n\nb"),
        (b"Subject: a\rTo: b\r\n\r\nc\rd", [("subject", b"a To: b")], b"c\nd"),
        (b"\r\nSubject: a\r\n", [], b"Subject: a\n"),
        (b" Subject: a\n\nb", [], b" Subject: a\n\nb"),
        (b"Subject:", [("subject", b"")], b""),
        (b"", [], b""),
    ],
)
def test_header_is_split_into_fields_and_body(raw: bytes, fields: list[tuple[str, bytes]], body: bytes) -> None:
    assert split(raw) == ([Field(*field) for field in fields], body)


def test_values_are_those_of_one_name_in_their_order() -> None:
    fields, _ = split(b"To: a\nReceived: 1  by\n\t x\nto: b\nReceived: 2\n\n")
    assert values(fields, "to") == [b"a", b"b"]
    assert values(fields, "received") == [b"1 by x", b"2"]


def test_field_that_is_no_utf8_is_read_as_latin1() -> None:
    assert [field.text for field in split("A: é\n".encode() + "B: é\n".encode("latin-1"))[0]] == ["é", "é"]


@pytest.mark.parametrize(
    ("before", "sender"),
    [
        (b"", "ann@example.org"),
        (b"no field at all\r\n", None),
        (b"X: " + b"x" * 20_000 + b"\r\n", "ann@example.org"),
        (b"X: y\r\n" * 600, None),
        (b"X: y\r\n" + b" y" * 5_000 + b"\r\n", "ann@example.org"),
        (b"X: " + b"\r\n y" * (MOST_HEAD // 3) + b"\r\n", None),
    ],
    ids=["nothing", "damaged", "long", "many", "folded", "huge"],
)
def test_sender_is_the_same_to_receiver_and_reader(before: bytes, sender: str | None) -> None:
    raw = before + b"From: ann@example.org\r\nTo: bob@example.org\r\n\r\n2 F\r\n"
    assert [field.text for field in split(raw)[0] if field.name == "from"] == ([sender] if sender else [])
    assert read(raw).sender == sender


@given(st.binary(max_size=300) | st.text("aF: \r\n\tromX", max_size=120).map(str.encode))
def test_any_bytes_have_the_same_fields_to_both(raw: bytes) -> None:
    assert tuple((field.name, field.text) for field in split(raw)[0]) == take_apart(raw).fields
