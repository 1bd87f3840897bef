"""Turn a probable move into a question to the player: the one move that fits, or what is missing to find it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine import text
from engine.moves import Place
from engine.phrases import Phrase
from engine.tiles import TILES
from service.language.cell_letters import Cell
from service.reading.guesses import GuessedMove
from service.store.mail_outcome import LIKELY, UNCLEAR, WHICH_CELL, WHICH_TILE, Line, short

NO_CHOICE = ("no_such_choice", Phrase("There is no such choice: write the number of one that is on offer."))
NO_CELL = ("no_such_cell", Phrase("There is no such cell: write the letter of one that is free."))


def asked_back(read: GuessedMove, choices: Sequence[int], cells: Mapping[str, Cell]) -> Line:
    """Return the result that asks the player.

    It asks whether the one move was meant that fits the choices and the open cells, or else what is missing.
    """
    written = short(read.line)
    numbers = [number for number, tile in enumerate(choices, start=1) if _fits(read, number, tile, choices)]
    letters = [letter for letter, at in cells.items() if read.cell in (None, letter) and read.at in (None, at)]
    if not numbers or not letters:
        code, why = NO_CELL if numbers else NO_CHOICE
        return Line(written, UNCLEAR, code=code, why=why)
    readings = tuple(f"{number} {letter}" for number in numbers for letter in letters)
    if len(readings) == 1:
        place = Place(choices[numbers[0] - 1], *cells[letters[0]])
        return Line(written, UNCLEAR, code=LIKELY, readings=(*readings, text.render(place)))
    if len(numbers) == 1:
        return Line(written, UNCLEAR, code=WHICH_CELL, readings=readings)
    return Line(written, UNCLEAR, code=WHICH_TILE, readings=readings) if len(letters) == 1 else Line(written, UNCLEAR)


def _fits(read: GuessedMove, number: int, tile: int, choices: Sequence[int]) -> bool:
    """Return whether a choice is the tile that was named.

    A number that no offered tile has is taken as the number of a choice.
    """
    if read.color is not None and TILES[tile].letter != read.color:
        return False
    if read.tile is not None:
        return tile == read.tile if read.tile in choices else number == read.tile
    return read.choice in (None, number)
