"""The letters of open cells, the same in pictures, mails and answers: A to Z, then AA, AB …, in reading order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

Cell = tuple[int, int]


def letters_of(index: int) -> str:
    """Return the letters of the open cell with this index in reading order: A for 0, Z for 25, AA for 26."""
    letters = ""
    left = index + 1
    while left:
        left, letter = divmod(left - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters


def lettered(cells: Iterable[Cell]) -> Iterator[tuple[str, Cell]]:
    """Return cells with their letters.

    The cells must be in reading order, as `Display.open_cells` and the legal moves have them.
    """
    return ((letters_of(index), cell) for index, cell in enumerate(cells))
