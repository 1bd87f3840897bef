"""A 304 has the headers by which caches keep the response: those of the 200 (RFC 9110, 15.4.5)."""

from collections.abc import Iterator

import pytest
from flask.testing import FlaskClient

from engine import simulate
from tests.support.http_games import play_out, start
from tests.support.web import Person

SAME = ("ETag", "Cache-Control", "Content-Location", "Expires")
TEXT = "text/vnd.nova-luna"
BELOW = (
    "",
    "?at=1",
    "/legal-moves",
    "/legal-moves?at=1",
    "/record",
    "/moves",
    "/moves/2",
    "/moves.csv",
    "/story",
    "/story.svg",
    "/board.svg",
    "/board.svg?at=1",
    "/seats/0/goals",
)


@pytest.fixture
def tables(client: FlaskClient, ann: Person, ben: Person) -> list[str]:
    """Return the paths of a finished game, of an exploration of it and of an import."""
    game = start(client, ann, ben, discs=5)
    play_out(game)
    explored = client.post(f"{game.path}/explorations", json={"seq": 2}, headers=ann.headers)
    record = next(simulate.records(1, 2, "unchanged", "greedy", 5))
    imported = client.post("/v1/imports", data=record, content_type="application/json", headers=ann.headers)
    return [game.path, explored.headers["Location"].partition("?")[0], imported.headers["Location"]]


def requests(client: FlaskClient, reader: Person, tables: list[str]) -> Iterator[tuple[str, dict[str, str]]]:
    for table in tables:
        for below in BELOW:
            if "explorations" not in table or "story" not in below:  # this one is not over
                yield f"{table}{below}", {}
        yield f"{table}/record?at=2", {}
        yield f"{table}/record", {"Accept": TEXT}
        if "imports" in table:  # these have no heads
            continue
        past = client.get(f"{table}?at=1", headers=reader.headers).headers["ETag"]
        head = past.strip('"').rpartition("-")[2]
        yield f"{table}?at=1&head={head}", {}
    yield f"{tables[0]}/messages", {}
    yield f"{tables[0]}/moves.atom", {}
    for path in ("/v1/games", "/v1/me/deliveries", "/v1/rules", "/v1/rules/1", "/v1/tiles", "/v1/tokens"):
        yield path, {"Accept-Language": "fr"}


def test_a_304_has_the_headers_that_guide_caches(client: FlaskClient, ann: Person, tables: list[str]) -> None:
    wrong = []
    for path, headers in requests(client, ann, tables):
        fresh = client.get(path, headers=ann.headers | headers)
        assert fresh.status_code == 200, (path, fresh.text)
        asked = ann.headers | headers | {"If-None-Match": fresh.headers["ETag"]}
        unchanged = client.get(path, headers=asked)
        assert unchanged.status_code == 304, path
        wrong += [(path, name) for name in SAME if fresh.headers.get(name) != unchanged.headers.get(name)]
        if not set(fresh.vary) <= set(unchanged.vary):  # a short body varies by no coding, and a 304 knows no length
            wrong.append((path, "Vary"))
    assert wrong == []
