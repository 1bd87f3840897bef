"""The oracle itself, compared with the published vectors and the known figures of the tiles."""

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tests.oracle import draw, record
from tests.oracle.tiles import DATA, TILES

DRAWS = json.loads((DATA / "draw-vectors.json").read_text("utf-8"))
RECORDS = (DATA / "record-vectors.jsonl").read_bytes().splitlines(keepends=True)


def test_tiles_have_the_known_figures() -> None:
    assert sorted(TILES) == list(range(1, 69))
    for color in "brty":
        costs = Counter(tile.cost for tile in TILES.values() if tile.color == color)
        assert costs == {1: 1, 2: 2, 3: 4, 4: 4, 5: 3, 6: 2, 7: 1}
    assert all(tile.goals == [] for tile in TILES.values() if tile.cost == 1)
    assert all(len(tile.goals) == 3 for tile in TILES.values() if tile.cost == 7)
    assert all(1 <= len(goal) <= 4 and set(goal) <= set("brty") for tile in TILES.values() for goal in tile.goals)


@pytest.mark.parametrize("vector", DRAWS, ids=lambda vector: vector["subject"])
def test_draw_vectors(vector: dict[str, Any]) -> None:
    seed = bytes.fromhex(vector["server_seed"])
    assert draw.commitment(seed) == vector["commitment"]
    assert draw.draw(seed, vector["subject"], vector["entropy"]) == (vector["tiles"], vector["stack"])


def test_below_skips_numbers_that_would_not_be_fair() -> None:
    """2^32 - (2^32 mod 3) = 4294967295: that number itself is skipped, and the one before it is used."""
    assert draw.below(iter([2**32 - 1, 2**32 - 2, 7]), 3) == (2**32 - 2) % 3


@pytest.mark.parametrize("line", RECORDS, ids=lambda line: json.loads(line)["game"]["id"])
def test_record_vectors(line: bytes) -> None:
    states = record.verify(line)
    assert len(states) == len(json.loads(line)["log"]) + 1


def test_record_vectors_are_of_every_sort() -> None:
    results = [json.loads(line)["result"] for line in RECORDS]
    assert {result["reason"] if result else None for result in results} == {"discs", "tiles", "left", "ended", None}


@pytest.mark.parametrize(("tamper", "where"), [
    (lambda line: line.replace(b'"log":', b'"log": '), "spelling"),
    (lambda line: line.rstrip(b"\n"), "spelling"),
    (lambda line: line.replace(b'"goal_discs":20', b'"goal_discs":19'), 0),
    (lambda line: line.replace(b'"vector-0"', b'"vector-1"', 1), 0),
    (lambda line: line.replace(b'"discs_left":[0,7]', b'"discs_left":[0,6]'), "result"),
    (lambda line: line.replace(b'"seat":1,"seq":1', b'"seat":0,"seq":1'), 1),
])  # fmt: skip
def test_a_changed_record_is_refused(tamper: Callable[[bytes], bytes], where: int | str) -> None:
    with pytest.raises(record.Broken) as caught:
        record.verify(tamper(RECORDS[0]))
    assert caught.value.where == where
