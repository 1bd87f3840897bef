"""The letters of open cells, the same in pictures, mails and answers: A to Z, then AA, AB …, in reading order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

Cell = tuple[int, int]


def letters_of(index: int) -> str:
    """The letters of the open cell at this place in reading order, from 0: A is 0, Z 25, AA 26."""
    letters = ""
    left = index + 1
    while left:
        left, letter = divmod(left - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters


def lettered(cells: Iterable[Cell]) -> Iterator[tuple[str, Cell]]:
    """Cells with their letters; the cells come in reading order, as `Display.open_cells` and the legal moves give
    them."""
    return ((letters_of(index), cell) for index, cell in enumerate(cells))
