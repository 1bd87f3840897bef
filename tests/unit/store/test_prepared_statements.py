"""A connection that prepares each statement once: what it sends and receives, and that it survives errors."""

from collections.abc import Iterator
from datetime import UTC, datetime

import psycopg
import pytest

from service.store.prepared_statements import PreparedConnection

EACH = """
    SELECT %(text)s::text, %(number)s::int, %(bytes)s::bytea, %(at)s::timestamptz, %(none)s::text, %(text)s || '!',
           (SELECT count(*) FROM pg_prepared_statements)
"""
VALUES = {
    "text": "Zoë's \\ %(number)s",
    "number": -7,
    "bytes": b"\0\\x1\xff",
    "at": datetime(2026, 11, 27, 20, 56, 0, 123456, UTC),
    "none": None,
}


@pytest.fixture(params=[5, None], ids=["prepared", "behind a pooler"])
def connection(request: pytest.FixtureRequest, database_url: str) -> Iterator[PreparedConnection]:
    made = psycopg.connect(database_url, autocommit=True, options="-c timezone=UTC", prepare_threshold=request.param)
    prepared = PreparedConnection(made)
    yield prepared
    prepared.close()
    assert made.closed


def test_values_come_back_as_they_went_and_a_statement_is_prepared_once(connection: PreparedConnection) -> None:
    prepared = 0 if connection.connection.prepare_threshold is None else 1
    for _ in range(3):
        assert connection.run(EACH, VALUES) == [(*VALUES.values(), f"{VALUES['text']}!", prepared)]


def test_after_an_error_the_connection_is_used_again(connection: PreparedConnection) -> None:
    for _ in range(2):
        with pytest.raises(psycopg.errors.DivisionByZero):
            connection.run("SELECT 1 / %(by)s::int", {"by": 0})
        assert connection.is_idle
    with pytest.raises(psycopg.errors.UndefinedTable):
        connection.run("SELECT 1 FROM nothing", {})
    assert connection.run("SELECT 1 / %(by)s::int", {"by": 1}) == [(1,)]


def test_other_values_are_refused(connection: PreparedConnection) -> None:
    with pytest.raises(TypeError, match="list"):
        connection.run("SELECT %(tags)s::text[]", {"tags": ["1-2"]})
