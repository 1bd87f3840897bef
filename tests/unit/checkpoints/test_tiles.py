"""Tiles: their paths, what they hold, and trees that are built from them step by step."""

import pytest

from service.checkpoints import merkle, tiles
from service.checkpoints.tiles import TileNodes, TreeBuilder, TreeTile
from tests.support.checkpoint_vectors import made_entry, made_leaves
from tests.support.made_log import partial_tiles


@pytest.mark.parametrize(
    ("number", "path"),
    [
        (0, "000"),
        (999, "999"),
        (1000, "x001/000"),
        (1234067, "x001/x234/067"),
        (10**15, "x001/x000/x000/x000/x000/000"),
    ],
)
def test_path_has_groups_of_three_digits(number: int, path: str) -> None:
    assert tiles.number_path(number) == path
    assert tiles.number_from(path) == number
    assert tiles.tile_path(3, number, 9) == f"tile/3/{path}.p/9"
    assert tiles.entries_path(number) == f"tile/entries/{path}"


@pytest.mark.parametrize("path", ["", "0", "x000/001", "1000", "001/002", "x001/x002", "0٣0", "x999/" * 6 + "999"])
def test_other_spellings_of_a_number_are_refused(path: str) -> None:
    with pytest.raises(ValueError, match="not the number of a tile"):
        tiles.number_from(path)


def test_width_is_what_the_size_leaves() -> None:
    assert [tiles.width_at(0, number, 600) for number in range(4)] == [256, 256, 88, 0]
    assert [tiles.width_at(1, number, 600) for number in range(2)] == [2, 0]
    assert tiles.width_at(2, 0, 600) == 0
    assert tiles.width_at(6, 0, 2**53 - 1) == 31


def test_builder_goes_on_from_its_edges() -> None:
    whole = TreeBuilder()
    expected = list(whole.add(made_leaves(1000)))
    found: list[TreeTile] = []
    edges: list[bytes] = []
    for start in range(0, 1000, 125):
        builder = TreeBuilder(edges)
        assert builder.size == start
        found += builder.add(made_leaves(125, start))
        edges = builder.edges
    assert found == expected
    assert partial_tiles(builder) == partial_tiles(whole)
    assert builder.root() == whole.root() == merkle.root_of(list(made_leaves(1000)))
    assert [tile.path for tile in partial_tiles(whole)] == ["tile/0/003.p/232", "tile/1/000.p/3"]


def test_builder_keeps_the_right_edge_alone() -> None:
    builder = TreeBuilder()
    for tile in builder.add(made_leaves(66_000)):
        assert len(tile.hashes) == 256 * 32
    assert [len(edge) // 32 for edge in builder.edges] == [66_000 % 256, 1, 1]


def test_edges_are_read_from_tiles() -> None:
    builder = TreeBuilder()
    found = {(tile.level, tile.number): tile for tile in builder.add(made_leaves(66_048))}
    found |= {(tile.level, tile.number): tile for tile in partial_tiles(builder)}
    edges = TileNodes(lambda level, number, width: found[level, number].hashes, 66_048).edges()
    assert edges == builder.edges
    assert TreeBuilder(edges).root() == builder.root()
    assert TileNodes(lambda level, number, width: b"", 0).edges() == []


@pytest.mark.parametrize("data", [b"", bytes(31), bytes(32 * 87), bytes(32 * 88 - 1), bytes(32 * 89)])
def test_tile_of_another_width_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"tile/0/002.p/88 does not have 88 hashes"):
        TileNodes(lambda level, number, width: data, 600).tile(0, 2)


def test_bundle_of_entries_is_read_as_it_was_written() -> None:
    entries = [made_entry(number) for number in range(256)]
    packed = tiles.pack_entries(entries)
    assert packed[:2] == b"\x00\x40" and len(packed) == 256 * 66
    assert tiles.unpack_entries(packed) == entries
    assert tiles.unpack_entries(b"") == []


@pytest.mark.parametrize("bundle", [b"\x00", b"\x00\x40" + bytes(63), b"\x00\x41" + bytes(64), bytes(66)])
def test_bundle_of_other_entries_is_refused(bundle: bytes) -> None:
    with pytest.raises(ValueError, match="64 bytes"):
        tiles.unpack_entries(bundle)
