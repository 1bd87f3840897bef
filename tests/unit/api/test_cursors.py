"""Cursors of lists: only what a page gave as its `next`, with parts that the database accepts, is one."""

import base64
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask import Flask

from service.api.paging import check_epoch, encode_cursor, place_of
from service.errors import Malformed

AT = datetime(2026, 11, 29, 12, tzinfo=UTC)
KINDS: Any = (datetime, str, int)
APP = Flask(__name__)
LIST = "/v1/games"


@pytest.fixture(autouse=True)
def request_of_list() -> Iterator[None]:
    with APP.test_request_context(LIST):
        yield


def in_list(*data: object) -> str:
    """Return a cursor of the list with these parts, fit or not, behind those that all its cursors have."""
    return written([*json.loads(base64.urlsafe_b64decode(cursor_of(LIST) + "==")), *data])


def cursor_of(path: str, *place: int) -> str:
    with APP.test_request_context(path):
        return encode_cursor(*place, of="e")


def written(data: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(data).encode()).rstrip(b"=").decode()


def test_a_cursor_is_read_as_it_was_written() -> None:
    for number in range(40):  # of each length that base64 pads in another way
        place = place_of({"cursor": encode_cursor(AT, "k" * number, number, of="e1")}, *KINDS)
        assert place == ("e1", (AT, "k" * number, number))
    assert place_of({}, *KINDS) is None


@pytest.mark.parametrize("number", [0, 2**31 - 1, 1 - 2**31])
def test_a_number_that_the_database_has_is_a_place(number: int) -> None:
    place = place_of({"cursor": in_list(number)}, int)
    assert place is not None and place.parts == (number,)


@pytest.mark.parametrize(
    ("cursor", "kinds"),
    [
        ("", (int,)),
        ("!", (int,)),
        ("a b", (int,)),
        (in_list(), (int,)),
        (in_list(1, 2), (int,)),
        (written(1), (int,)),
        (in_list(2**31), (int,)),
        (in_list(-(2**31)), (int,)),
        (in_list(True), (int,)),
        (in_list("1"), (int,)),
        (in_list(1.5), (int,)),
        (in_list(1), (str,)),
        (in_list("é"), (str,)),
        (in_list("a\u0000"), (str,)),
        (in_list(["a"]), (str,)),
        (in_list("2026-11-29"), (datetime,)),
        (in_list("2026-11-29T12:00:00"), (datetime,)),
        (in_list("tomorrow"), (datetime,)),
        (in_list("9999-12-31T23:59:59-23:59"), (datetime,)),
        (in_list("0001-01-01T00:00:00+23:59"), (datetime,)),
        (cursor_of("/v1/solo-sessions", 1), (int,)),
        (written(["e", 1]), (int,)),  # as cursors were once
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
    place = place_of({"cursor": in_list("2026-11-29T13:00:00+01:00")}, datetime)
    assert place is not None and place.parts[0] - AT == timedelta(0)
