"""Any value in a field of a body or a query is accepted or refused; it breaks nothing, and costs little."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from flask.testing import FlaskClient
from marshmallow import Schema, ValidationError
from marshmallow.fields import Field

from engine.errors import MalformedMove
from engine.moves import from_json
from service.api.fields import QueryWhole
from service.api.schema import RequestSchema, wrong_fields
from service.api.wording import worded
from service.language.languages import ENGLISH

LARGEST_WHOLE = 2**53
LONGEST_TEXT = 2000

TEXTS = ["", "9" * 5000, "-1", "1e999", "\0", "x" * 60_000, "\U0001f600" * 1000, "\u202e", "\n"]
VALUES: list[Any] = [
    *TEXTS,
    float("inf"),
    -float("inf"),
    1e308,
    10**4000,
    -(10**4000),
    1.5,
    True,
    None,
    [],
    {},
    [[[[1]]]],
    [None],
]


def schemas(kind: type[Schema] = RequestSchema) -> Iterator[type[Schema]]:
    """Yield the schemas of the service; other tests define some of their own."""
    for below in kind.__subclasses__():
        if below.__module__.startswith("service."):
            yield below
        yield from schemas(below)


def test_no_value_breaks_a_field_or_comes_through_it_large(offline: FlaskClient) -> None:
    fields: list[Field[Any]] = [field for schema in set(schemas()) for field in schema().load_fields.values()]
    assert len(fields) > 20
    for field in fields:
        for value in TEXTS if isinstance(field, QueryWhole) else VALUES:
            try:
                loaded = field.deserialize(value)
            except ValidationError:
                continue
            if isinstance(loaded, int | float):
                assert abs(loaded) <= LARGEST_WHOLE
            if isinstance(loaded, str):
                assert len(loaded) <= LONGEST_TEXT


PYTHON = re.compile(r"\b(None|True|False|NoneType|dict|tuple|str|int|float|bool|datetime|timedelta)\b")
"""Words of Python; JSON has null, true and false, objects and texts."""

ODD: list[Any] = [None, True, [None], {"a": None}]

NESTED: list[Any] = [
    *({"nudge": value, "grace": value, "then": "wait"} for value in ODD),
    *({"kind": "bank", "bank": value, "increment": "P1D", "cap": "P2D"} for value in ODD),
    *({"type": "place", "tile": value, "x": 0, "y": None, "expected_version": 1} for value in ODD),
    {"kind": None},
    {"type": None},
    {"type": "mark", "kind": None},
    {"days": None, "from": None, "to": True},
]


def test_no_refusal_of_a_value_speaks_python(offline: FlaskClient) -> None:
    told: dict[str, str] = {}
    values = [*VALUES, *NESTED, [NESTED[0]]]
    for schema in set(schemas()):
        loader = schema()
        whole = [
            {name: value}
            for name, field in loader.load_fields.items()
            for value in (TEXTS if isinstance(field, QueryWhole) else values)
        ]
        is_query = any(isinstance(field, QueryWhole) for field in loader.load_fields.values())
        for data in whole if is_query else (*whole, *NESTED):
            try:
                loader.load(data)
            except ValidationError as error:
                for each in wrong_fields("body", error.messages):
                    told[worded(each.right, ENGLISH)] = f"{schema.__name__}.{each.field}"
    assert len(told) > 20
    assert {text: field for text, field in told.items() if PYTHON.search(text)} == {}


@pytest.mark.parametrize("value", ODD)
def test_no_refusal_of_a_move_speaks_python(value: object) -> None:
    moves: list[Any] = [
        value,
        {"type": value},
        {"type": "place", "tile": value, "x": 0, "y": 0},
        {"type": "mark", "kind": value},
        {"type": "mark", "kind": "a", "data": value},
    ]
    for move in moves:
        try:
            from_json(move)
        except MalformedMove as error:
            assert not PYTHON.search(error.detail), error.detail


@pytest.mark.parametrize(
    "sent",
    [
        *(b'{"email": ' + b"[" * depth + b"]" * depth + b"}" for depth in (300, 900, 5000)),
        b'{"a": ' * 5000 + b"1" + b"}" * 5000,
        b"{" + b",".join(b'"k%d":1' % number for number in range(6000)) + b"}",
        b'{"email": ' + b"9" * 4000 + b"}",
        b'{"email": 1e400}',
        b"\xef\xbb\xbf{}",
    ],
    ids=["300", "900", "5000", "objects", "members", "digits", "exponent", "mark"],
)
def test_a_deep_or_wide_body_is_refused_as_any_other(offline: FlaskClient, sent: bytes) -> None:
    for path in ("/v1/sign-ins", "/v1/tokens"):
        answer = offline.post(path, data=sent, content_type="application/json", headers={"Idempotency-Key": "x"})
        assert (answer.status_code, answer.get_json()["code"]) in ((400, "not_json"), (422, "wrong_fields"))
        assert len(answer.data) < 10_000
