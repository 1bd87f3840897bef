"""Cursors of lists: only what a page gave as its `next`, with parts that the database accepts, is one."""

import base64
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from service.api.paging import check_epoch, encode_cursor, place_of
from service.errors import Malformed

AT = datetime(2026, 11, 29, 12, tzinfo=UTC)
KINDS: Any = (datetime, str, int)


def written(data: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(data).encode()).rstrip(b"=").decode()


def test_a_cursor_is_read_as_it_was_written() -> None:
    for number in range(40):  # of each length that base64 pads in another way
        place = place_of({"cursor": encode_cursor(AT, "k" * number, number, of="e1")}, *KINDS)
        assert place == ("e1", (AT, "k" * number, number))
    assert place_of({}, *KINDS) is None


@pytest.mark.parametrize("number", [0, 2**31 - 1, 1 - 2**31])
def test_a_number_that_the_database_has_is_a_place(number: int) -> None:
    place = place_of({"cursor": written(["e", number])}, int)
    assert place is not None and place.parts == (number,)


@pytest.mark.parametrize(
    ("cursor", "kinds"),
    [
        ("", (int,)),
        ("!", (int,)),
        ("a b", (int,)),
        (written(["e"]), (int,)),
        (written(["e", 1, 2]), (int,)),
        (written(1), (int,)),
        (written(["e", 2**31]), (int,)),
        (written(["e", -(2**31)]), (int,)),
        (written(["e", True]), (int,)),
        (written(["e", "1"]), (int,)),
        (written(["e", 1.5]), (int,)),
        (written(["e", 1]), (str,)),
        (written(["e", "é"]), (str,)),
        (written(["e", "a\u0000"]), (str,)),
        (written(["e", ["a"]]), (str,)),
        (written(["e", "2026-11-29"]), (datetime,)),
        (written(["e", "2026-11-29T12:00:00"]), (datetime,)),
        (written(["e", "tomorrow"]), (datetime,)),
        (base64.urlsafe_b64encode(b"[" * 100_000).decode(), (int,)),
    ],
)
def test_anything_else_is_refused(cursor: str, kinds: Any) -> None:
    with pytest.raises(Malformed) as refused:
        place_of({"cursor": cursor}, *kinds)
    (wrong,) = refused.value.wrong
    assert (wrong.place, wrong.field, str(wrong.right)) == (
        "query",
        "cursor",
        "Must be the `next` of a page of this list.",
    )


def test_a_cursor_of_a_former_state_is_outdated() -> None:
    place = place_of({"cursor": encode_cursor(1, of="e1")}, int)
    check_epoch(place, "e1")
    check_epoch(None, "e2")
    with pytest.raises(Malformed) as refused:
        check_epoch(place, "e2")
    assert refused.value.code == "cursor_outdated"


def test_a_time_has_its_zone_in_a_cursor() -> None:
    place = place_of({"cursor": written(["e", "2026-11-29T13:00:00+01:00"])}, datetime)
    assert place is not None and place.parts[0] - AT == timedelta(0)
