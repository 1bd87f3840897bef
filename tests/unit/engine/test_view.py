"""What a player may see of a table: all of its state but the order of the draw pile."""

import pytest

from engine.game import Match
from engine.solo import Solo
from engine.table import Table
from engine.view import TableView

TILES = tuple(range(1, 69))


@pytest.mark.parametrize("state", [Match(3, 17, TILES, (2, 0, 1)), Solo(TILES)], ids=["match", "solo"])
def test_a_view_has_what_the_table_has(state: Table) -> None:
    view = TableView(state)
    for _ in range(3):
        state.advance(state.turn, state.legal_moves()[0])
        assert (view.kind, view.seats, view.turn, view.result) == (state.kind, state.seats, state.turn, state.result)
        assert (view.marker, view.pile_size) == (state.wheel.marker, state.wheel.pile_size)
        assert (view.spaces, view.choices) == (state.wheel.spaces(), state.wheel.choices())
        assert view.displays is state.displays and view.discs_left is state.discs_left
        assert view.shown == TILES[: 68 - view.pile_size]


def test_a_view_has_what_only_one_kind_of_game_has() -> None:
    match, solo = Match(2, 20, TILES, (0, 1)), Solo(TILES)
    assert (TableView(match).moon, TableView(match).phase, TableView(match).first_total) == (match.moon, None, None)
    assert (TableView(solo).moon, TableView(solo).phase, TableView(solo).first_total) == (None, 1, None)
    solo.first_total = 9
    assert TableView(solo).first_total == 9
