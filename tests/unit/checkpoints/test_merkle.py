"""The tree and its paths, compared with pymerkle's and with a tree that is hashed whole."""

from collections.abc import Sequence
from random import Random

import pymerkle
import pytest

from service.checkpoints import merkle
from service.checkpoints.tiles import TileNodes, TreeBuilder, width_at
from tests.support.checkpoint_vectors import made_entry, made_leaves
from tests.support.made_log import partial_tiles

SIZES = (*range(1, 20), 31, 32, 33, 255, 256, 257, 511, 600)


def whole(hashes: Sequence[bytes]) -> bytes:
    """Return the root by the definition of RFC 6962."""
    if len(hashes) < 2:
        return hashes[0] if hashes else merkle.EMPTY
    middle = max(2**power for power in range(20) if 2**power < len(hashes))
    return merkle.node_hash(whole(hashes[:middle]), whole(hashes[middle:]))


def nodes(leaves: Sequence[bytes]) -> TileNodes:
    builder = TreeBuilder()
    tiles = [*builder.add(leaves), *partial_tiles(builder)]
    found = {(tile.level, tile.number): tile.hashes for tile in tiles}
    return TileNodes(lambda level, number, width: found[level, number][: 32 * width], len(leaves))


@pytest.fixture(scope="module")
def other() -> pymerkle.InmemoryTree:
    tree = pymerkle.InmemoryTree(algorithm="sha256")
    for number in range(max(SIZES)):
        tree.append(made_entry(number))
    return tree


def test_roots_are_those_of_pymerkle(other: pymerkle.InmemoryTree) -> None:
    leaves = list(made_leaves(max(SIZES)))
    for size in SIZES:
        root = other.get_state(size)
        assert merkle.root_of(leaves[:size]) == root == whole(leaves[:size])
        builder = TreeBuilder()
        assert sum(1 for _ in builder.add(leaves[:size])) == size // 256
        assert builder.root() == root


def test_pymerkle_roots_are_reached_by_our_paths(other: pymerkle.InmemoryTree) -> None:
    leaves = list(made_leaves(max(SIZES)))
    for size in SIZES:
        tree, root = nodes(leaves[:size]), other.get_state(size)
        for index in {0, size // 2, size - 1}:
            path = merkle.inclusion_path(index, size, tree.node)
            assert merkle.root_of_path(leaves[index], index, size, path) == root
        for old in {0, 1, size // 2, size - 1, size}:
            path = merkle.consistency_path(old, size, tree.node)
            old_root = other.get_state(old) if old else merkle.EMPTY
            assert merkle.is_consistent(old, size, old_root, root, path)


def test_only_the_right_path_leads_to_the_root() -> None:
    rng = Random(16)
    for size in SIZES[1:]:
        leaves = list(made_leaves(size))
        tree, root = nodes(leaves), merkle.root_of(leaves)
        index = rng.randrange(size)
        path = merkle.inclusion_path(index, size, tree.node)
        at = rng.randrange(len(path))
        changed = [bytes(32) if number == at else each for number, each in enumerate(path)]
        for wrong in (path[1:], path[:-1], [*path, bytes(32)], [bytes(32), *path], changed):
            assert merkle.root_of_path(leaves[index], index, size, wrong) != root
        assert merkle.root_of_path(leaves[index], size, size, path) is None
        assert merkle.root_of_path(leaves[index], -1, size, path) is None
        assert merkle.root_of_path(leaves[index], (index + 1) % size, size, path) != root


def test_only_the_right_path_proves_that_a_tree_grew() -> None:
    rng = Random(61)
    for size in SIZES[1:]:
        leaves = list(made_leaves(size))
        tree, root = nodes(leaves), merkle.root_of(leaves)
        old = rng.randrange(1, size)
        old_root = merkle.root_of(leaves[:old])
        path = merkle.consistency_path(old, size, tree.node)
        for wrong in (path[1:], path[:-1], [*path, bytes(32)], [bytes(32), *path[1:]]):
            assert not merkle.is_consistent(old, size, old_root, root, wrong)
        assert not merkle.is_consistent(old, size, bytes(32), root, path)
        assert not merkle.is_consistent(old, size, old_root, bytes(32), path)
        assert not merkle.is_consistent(size, old, root, old_root, path)
    assert not merkle.is_consistent(0, 4, bytes(32), root, [])
    assert not merkle.is_consistent(0, 4, merkle.EMPTY, root, [bytes(32)])


def test_sizes_beyond_32_bits_are_walked() -> None:
    # A tree of equal leaves, so that the root of a complete subtree depends on its height alone.
    heights = [merkle.leaf_hash(b"")]
    for _ in range(53):
        heights.append(merkle.node_hash(heights[-1], heights[-1]))

    def node(height: int, number: int) -> bytes:
        return heights[height]

    size, old = 2**53 - 1, 2**40 + 3
    root = merkle.root_of_range(0, size, node)
    for index in (0, 2**33 + 5, size - 1):
        path = merkle.inclusion_path(index, size, node)
        assert len(path) <= 53
        assert merkle.root_of_path(heights[0], index, size, path) == root
    path = merkle.consistency_path(old, size, node)
    assert merkle.is_consistent(old, size, merkle.root_of_range(0, old, node), root, path)


def test_paths_of_any_length_end_after_few_steps() -> None:
    long = [bytes(32)] * 100_000
    assert merkle.root_of_path(bytes(32), 0, 2**53, long) is None
    assert not merkle.is_consistent(3, 2**53, bytes(32), bytes(32), long)


def test_path_outside_the_tree_is_not_made() -> None:
    with pytest.raises(ValueError, match="no leaf 4"):
        merkle.inclusion_path(4, 4, nodes([]).node)
    with pytest.raises(ValueError, match="does not contain"):
        merkle.consistency_path(5, 4, nodes([]).node)


def test_proof_reads_few_tiles() -> None:
    size = 70_000 // 256 * 256
    leaves = list(made_leaves(size))
    builder = TreeBuilder()
    found = {(tile.level, tile.number): tile.hashes for tile in [*builder.add(leaves), *partial_tiles(builder)]}
    for index in (0, 40_000, 65_535, 65_536, size - 1):
        read: list[tuple[int, int]] = []

        def fetch(level: int, number: int, width: int, read: list[tuple[int, int]] = read) -> bytes:
            read.append((level, number))
            assert width == width_at(level, number, size)
            return found[level, number]

        path = merkle.inclusion_path(index, size, TileNodes(fetch, size).node)
        assert merkle.root_of_path(leaves[index], index, size, path) == builder.root()
        assert len(read) == len(set(read)) <= 4
