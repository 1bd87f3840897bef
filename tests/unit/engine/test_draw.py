"""`nova-luna-draw/1` (docs/FORMATS.md): the published vectors, and the branch that vectors hardly reach."""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from engine import draw

VECTORS = json.loads((Path(__file__).parents[2] / "data" / "draw-vectors.json").read_text())


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["subject"])
def test_draw_vectors_give_their_commitment_tiles_and_stack(vector: dict[str, Any]) -> None:
    made = draw.Draw(bytes.fromhex(vector["server_seed"]), vector["subject"], tuple(vector["entropy"]))
    assert made.commitment == vector["commitment"]
    assert list(made.tiles) == vector["tiles"]
    assert list(made.stack) == vector["stack"]
    assert repr(bytes.fromhex(vector["server_seed"]))[2:-1] not in repr(made)


def test_below_passes_over_numbers_of_the_last_incomplete_run() -> None:
    # 2^32 = 3 * 1431655765 + 1: the one number 2^32 - 1 is passed over; for 68 the last 52 are.
    numbers = iter([2**32 - 1, 2**32 - 1, 2**32 - 2])
    assert draw.below(3, lambda: next(numbers)) == (2**32 - 2) % 3
    assert list(numbers) == []
    limit = 2**32 - 2**32 % 68
    numbers = iter([limit, 2**32 - 1, limit - 1, 5])
    assert draw.below(68, lambda: next(numbers)) == (limit - 1) % 68 == 67
    assert list(numbers) == [5]


def test_below_a_power_of_two_passes_nothing_over() -> None:
    numbers = iter([2**32 - 1])
    assert draw.below(64, lambda: next(numbers)) == 63


def test_a_shuffle_goes_through_the_rejection_branch() -> None:
    class Made(draw.Stream):
        """A stream with given numbers."""

        def __init__(self, numbers: Iterable[int]) -> None:
            super().__init__(b"", "")
            self._given = iter(numbers)

        def number(self) -> int:
            return next(self._given)

    # Swaps 2 with below(3), 1 with below(2); the first number is not usable for 3.
    assert Made([2**32 - 1, 0, 1]).shuffle([10, 20, 30]) == [30, 20, 10]


def test_stream_is_hmac_blocks_cut_big_endian() -> None:
    import hashlib
    import hmac

    stream = draw.Stream(b"key", "label")
    blocks = b"".join(hmac.new(b"key", b"label\x00" + i.to_bytes(4, "big"), hashlib.sha256).digest() for i in range(3))
    assert [stream.number() for _ in range(24)] == [int.from_bytes(blocks[i : i + 4], "big") for i in range(0, 96, 4)]


def test_every_order_is_as_likely() -> None:
    stream = draw.Stream(b"fair", "x")
    counts = Counter(tuple(stream.shuffle([0, 1, 2])) for _ in range(6000))
    assert len(counts) == 6
    assert all(850 < count < 1150 for count in counts.values())


@pytest.mark.parametrize(
    ("given", "fits"),
    [
        ("", True),
        (" ~", True),
        ("x" * 64, True),
        ("x" * 65, False),
        ("ä", False),
        ("\n", False),
        ("a\n", False),
        ("\x7f", False),
    ],
)
def test_entropy_is_up_to_64_printable_characters(given: str, fits: bool) -> None:
    assert draw.is_entropy(given) is fits


def test_each_text_and_the_subject_change_the_draw() -> None:
    seed = bytes(32)
    orders = {
        draw.Draw(seed, subject, entropy).tiles
        for subject in ("a", "b")
        for entropy in (("", ""), ("x", ""), ("", "x"), ("x", "x"))
    }
    assert len(orders) == 8
