"""The pure functions give what the vectors that were made elsewhere expect."""

import hashlib
from dataclasses import astuple
from typing import Any

import pytest

from service.checkpoints import leaves, merkle
from service.checkpoints.bundles import Bundle
from service.checkpoints.encoding import from_base64
from service.checkpoints.endorsements import endorsed
from service.checkpoints.following import follow
from service.checkpoints.notes import SignedNote
from service.checkpoints.policies import Policy
from service.checkpoints.scanning import Scan
from service.checkpoints.tiles import TreeBuilder, TreeTile
from service.checkpoints.verifying import verify
from tests.support.checkpoint_vectors import (
    CASES,
    MADE,
    POLICY,
    RECORDS,
    cases,
    known_json,
    known_of,
    made_leaves,
    outcome,
)
from tests.support.made_log import partial_tiles


def name(case: dict[str, Any]) -> str:
    return str(case["name"])


def test_no_kind_of_case_is_left_out() -> None:
    assert {case["kind"] for case in CASES} == {"leaf", "bundle", "key", "witness", "scan", "tree", "tile"}
    assert len(CASES) >= 56


@pytest.mark.parametrize("case", cases("leaf"), ids=name)
def test_leaf_is_that_of_the_vector(case: dict[str, Any]) -> None:
    links = leaves.links(RECORDS[case["record"]])
    entry = leaves.entry(links[0], case["version"], case["status"], links[case["version"]])
    assert len(entry) == leaves.ENTRY_BYTES
    assert merkle.leaf_hash(entry).hex() == case["expect"]["ok"]


@pytest.mark.parametrize("case", cases("bundle"), ids=name)
def test_bundle_is_judged_as_the_vector_says(case: dict[str, Any]) -> None:
    def run() -> list[list[Any]]:
        policy = Policy.parse(case.get("policy", POLICY))
        found = verify(RECORDS[case["record"]], Bundle.from_json(case["bundle"]), policy, known_of(case))
        return [list(astuple(each)) for each in found]

    assert outcome(run) == case["expect"]


@pytest.mark.parametrize("case", cases("key"), ids=name)
def test_endorsement_is_judged_as_the_vector_says(case: dict[str, Any]) -> None:
    policy = Policy.parse(POLICY)
    assert outcome(lambda: endorsed(SignedNote.parse(case["note"]), policy).vkey) == case["expect"]


@pytest.mark.parametrize("case", cases("witness"), ids=name)
def test_log_is_followed_as_the_vector_says(case: dict[str, Any]) -> None:
    seen = Policy.parse(POLICY).check(SignedNote.parse(case["note"]))
    path = [from_base64(each) for each in case["path"]]
    assert outcome(lambda: known_json(follow(known_of(case), seen, path))) == case["expect"]


@pytest.mark.parametrize("case", cases("scan"), ids=name)
def test_scan_finds_what_the_vector_says(case: dict[str, Any]) -> None:
    scan = Scan([RECORDS[case["record"]]])
    found = scan.look(0, map(bytes.fromhex, case["entries"]))
    assert [[each.index, each.version, each.verdict] for each in found] == case["expect"]["ok"]


@pytest.mark.parametrize("case", cases("tree"), ids=name)
def test_root_is_that_of_the_vector(case: dict[str, Any]) -> None:
    builder = TreeBuilder()
    for _ in builder.add(made_leaves(case["size"])):
        pass
    assert builder.size == case["size"]
    assert builder.root().hex() == case["expect"]["ok"]


@pytest.fixture(scope="module")
def made_tiles() -> dict[tuple[int, int], TreeTile]:
    builder = TreeBuilder()
    tiles = [*builder.add(made_leaves(MADE)), *partial_tiles(builder)]
    return {(tile.level, tile.number): tile for tile in tiles}


@pytest.mark.parametrize("case", cases("tile"), ids=name)
def test_tile_is_that_of_the_vector(case: dict[str, Any], made_tiles: dict[tuple[int, int], TreeTile]) -> None:
    tile = made_tiles[case["level"], case["n"]]
    assert tile.width == case["width"]
    assert {"path": tile.path, "sha256": hashlib.sha256(tile.hashes).hexdigest()} == case["expect"]["ok"]
