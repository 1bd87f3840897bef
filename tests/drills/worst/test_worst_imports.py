"""No import costs more than half a second of CPU wherever it is shown, whatever its strangers' texts contain.

Anybody may read an import that is shared, so its names, comments and marks are as long as a body of the API can be.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from flask import Flask
from flask.testing import FlaskClient

from engine import notation, simulate
from engine.notation import MEDIA_TYPE
from engine.record import line
from service.api.requests import MAX_BODY
from service.commands import imports
from service.commands.imports import Verified
from service.pictures import lettering
from service.store.unit import transaction
from tests.drills.worst.cost import MOST, cpu, dear
from tests.drills.worst.units import LETTERS
from tests.support.web import Person

pytestmark = pytest.mark.drill

_RECORD = next(simulate.records(1, 2, "worst imports", "greedy", 5))
_ROOM = MAX_BODY - 3_000
_BEFORE = '[Game "{id}"]\n[A "{name}"]\n[B "{name}"]\n[Stack "B A"]\n[Tiles "42 34 32 56 24 8 22 62 31 37 26"]\n'
_NAMES = ("x", "i", ".", " ", "W ", "a\u0301", *LETTERS)
TEXTS = {
    "an id": _BEFORE.replace("{id}", "x" * _ROOM) + "*\n",
    "an own tag": f'[XNote "{"x" * _ROOM}"]\n' + _BEFORE + "*\n",
    "a comment": _BEFORE + "42@0,0\n# " + "x" * _ROOM + "\n*\n",
    "comments": _BEFORE + "42@0,0\n" + "# x\n" * (_ROOM // 4) + "*\n",
    "own tags": "".join(f'[X{number} "x"]\n' for number in range(_ROOM // 12)) + _BEFORE + "*\n",
    "a mark": _BEFORE + '42@0,0\nmark a data {"a":"' + "x" * _ROOM + '"}\n*\n',
    "marks": _BEFORE + "42@0,0\n" + "mark a\n" * (_ROOM // 8) + "*\n",
    "variations": _BEFORE + "42@0,0\n" + "(\n34@0,0\n)\n" * (_ROOM // 12) + "*\n",
}
BELOW = (
    "", "/record", "/record?at=1", "/moves", "/moves/1", "/legal-moves", "/board.svg", "/board.svg?at=1", "/moves.csv",
    "/story", "/story.svg", "/seats/0/goals",
)  # fmt: skip


@pytest.fixture
def ann(sign_up: Callable[..., Person]) -> Person:
    return sign_up("Ann", "ann@example.org")


def _dear_addresses(client: FlaskClient, person: Person, id: str) -> list[str]:
    """Return the addresses of an import that cost too much; one that refuses it has read it."""
    asked = [
        *(f"/v1/imports/{id}{below}" for below in BELOW),
        "/v1/imports",
        f"/imports/{id}",
        f"/imports/{id}?at=1",
        f"/imports/{id}/text",
    ]
    client.patch(f"/v1/imports/{id}", json={"shared": True}, headers=person.headers)
    costs = {each: cpu(lambda each=each: client.get(each, headers=_headers(person, each))) for each in asked}  # type: ignore[misc]
    return [f"{each}: {cost:.2f} s" for each, cost in costs.items() if cost >= MOST]


def _headers(person: Person, address: str) -> dict[str, str]:
    """Return the headers of a request: for the API those of a person, for pages none, as anybody comes."""
    return person.headers if address.startswith("/v1/") else {}


@pytest.mark.parametrize("unit", _NAMES, ids=ascii)
def test_a_long_line_of_a_picture_is_cut_cheaply(unit: str) -> None:
    def cut(size: int) -> None:
        lettering.fit(unit * (size // len(unit)), 300, lettering.NAME, lettering.BOLD)

    assert dear(cut, 1 << 20) is None


@pytest.mark.tenth
@pytest.mark.parametrize("unit", _NAMES, ids=ascii)
def test_an_import_of_before_the_limit_of_names_is_cheap(client: FlaskClient, ann: Person, unit: str) -> None:
    name = unit * (_ROOM // 2 // len(unit.encode()))
    record = json.loads(_RECORD)
    for number, player in enumerate(record["players"]):
        player["name"] = f"{name}{number}"
    written = line(record)
    found = Verified(written.decode(), notation.from_record(record), is_record=True)
    with client.application.app_context(), transaction() as session:
        made, _ = imports.add(session, ann.account, found, datetime(2026, 11, 27, tzinfo=UTC))
        id = made.id
    assert _dear_addresses(client, ann, id) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTS)
def test_a_text_of_the_largest_size_is_cheap_everywhere(
    app: Flask, client: FlaskClient, ann: Person, name: str
) -> None:
    data = TEXTS[name].replace("{id}", "kitchen").replace("{name}", "Mia").encode()
    assert len(data) <= MAX_BODY
    made = client.post("/v1/imports", data=data, content_type=MEDIA_TYPE, headers=ann.headers)
    assert made.status_code == 201, made.text[:300]
    assert _dear_addresses(client, ann, made.get_json()["id"]) == []
