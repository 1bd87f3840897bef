"""Hash a Merkle tree and prove what is in it (RFC 6962 section 2.1, the same in RFC 9162).

Paths are made from the hashes of complete subtrees, which `service.checkpoints.tiles` reads from tiles; the functions
that check paths need nothing else. All of them take as many steps as the tree is high.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Final

EMPTY: Final = hashlib.sha256(b"").digest()
"""The root of a tree without leaves."""

LONGEST_PATH: Final = 63
"""The number of hashes that a path may have."""

Node = Callable[[int, int], bytes]
"""Returns the root of a complete subtree: its height and its number from the left, both from 0."""


def leaf_hash(entry: bytes) -> bytes:
    """Return the hash of a leaf."""
    return hashlib.sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of an inner node."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def root_of(hashes: Sequence[bytes]) -> bytes:
    """Return the root of a tree from the hashes of its leaves, or of equally high subtrees; the last may be lower."""
    if not hashes:
        return EMPTY
    level = list(hashes)
    while len(level) > 1:
        # The odd one at the end is the right side of a node further up.
        above = [node_hash(level[at], level[at + 1]) for at in range(0, len(level) - 1, 2)]
        level = above + level[len(above) * 2 :]
    return level[0]


def split(size: int) -> int:
    """Return the number of a tree's leaves on its left side: the largest power of two below its size."""
    return 1 << ((size - 1).bit_length() - 1)


def root_of_range(start: int, end: int, node: Node) -> bytes:
    """Return the root of the subtree that has the leaves from `start` up to `end`; a right side may be incomplete."""
    size = end - start
    if size == 0:
        return EMPTY
    height = size.bit_length() - 1
    if size == 1 << height:
        return node(height, start >> height)
    middle = start + split(size)
    return node_hash(root_of_range(start, middle, node), root_of_range(middle, end, node))


def inclusion_path(index: int, size: int, node: Node) -> list[bytes]:
    """Return the path from a leaf's sibling up to the root of a tree, which `root_of_path` checks."""
    if not 0 <= index < size:
        raise ValueError(f"the tree has no leaf {index}, only {size} of them")
    path: list[bytes] = []
    start, end = 0, size
    while end - start > 1:
        middle = start + split(end - start)
        if index < middle:
            path.append(root_of_range(middle, end, node))
            end = middle
        else:
            path.append(root_of_range(start, middle, node))
            start = middle
    return path[::-1]


def consistency_path(old: int, new: int, node: Node) -> list[bytes]:
    """Return a proof that the first `old` leaves of a tree form the tree of size `old`."""
    if not 0 <= old <= new:
        raise ValueError(f"a tree of {new} leaves does not contain one of {old}")
    path: list[bytes] = []
    start, end, is_old = 0, new, True  # is_old: so far, the subtree begins with the whole old tree
    if old == 0:
        return path
    while end != old:
        middle = start + split(end - start)
        if old <= middle:
            path.append(root_of_range(middle, end, node))
            end = middle
        else:
            path.append(root_of_range(start, middle, node))
            start, is_old = middle, False
    if not is_old:
        path.append(root_of_range(start, end, node))
    return path[::-1]


def root_of_path(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """Return the root that a leaf's hash and a path give; None if the path's length does not fit index and size."""
    if not 0 <= index < size or len(path) > LONGEST_PATH:
        return None
    if size == 1:
        return None if path else leaf
    if not path:
        return None
    left = split(size)
    if index < left:
        below = root_of_path(leaf, index, left, path[:-1])
        return None if below is None else node_hash(below, path[-1])
    below = root_of_path(leaf, index - left, size - left, path[:-1])
    return None if below is None else node_hash(path[-1], below)


def roots_of_consistency(
    old: int, new: int, old_root: bytes, path: Sequence[bytes], *, is_old: bool = True
) -> tuple[bytes, bytes] | None:
    """Return the roots of the old and of the new tree to which a consistency path leads; None if it has another length.

    Args:
        old: the size of the old tree, at least 1 and at most `new`.
        new: the size of the new one.
        old_root: the root of the old one, which the path leaves out where it is the left edge of the new one.
        path: the hashes.
        is_old: whether this subtree begins with the whole old tree, in which case the path leaves out its root.
    """
    if old == new:
        if is_old:
            return None if path else (old_root, old_root)
        return (path[0], path[0]) if len(path) == 1 else None
    if not path or len(path) > LONGEST_PATH:
        return None
    left, last = split(new), path[-1]
    if old <= left:
        roots = roots_of_consistency(old, left, old_root, path[:-1], is_old=is_old)
        return None if roots is None else (roots[0], node_hash(roots[1], last))
    roots = roots_of_consistency(old - left, new - left, old_root, path[:-1], is_old=False)
    return None if roots is None else (node_hash(last, roots[0]), node_hash(last, roots[1]))


def is_consistent(old: int, new: int, old_root: bytes, new_root: bytes, path: Sequence[bytes]) -> bool:
    """Return whether a path proves that the new tree begins with all leaves of the old one."""
    if old == 0:
        return old_root == EMPTY and not path
    if old > new:
        return False
    return roots_of_consistency(old, new, old_root, path) == (old_root, new_root)
