"""Numbers, goals and names in sentences."""

import pytest

from service.language import words
from service.language.people import People, display_name


@pytest.mark.parametrize(("count", "said"), [(0, "0 tiles"), (1, "1 tile"), (2, "2 tiles"), (13, "13 tiles")])
def test_a_number_of_tiles(count: int, said: str) -> None:
    assert words.tiles(count) == said


@pytest.mark.parametrize(
    ("goal", "said"), [("b", "1 blue"), ("yy", "2 yellow"), ("bby", "2 blue and 1 yellow"), ("brty",
    "1 blue, 1 red, 1 turquoise and 1 yellow")]
)  # fmt: skip
def test_goal(goal: str, said: str) -> None:
    assert words.goal(goal) == said


def test_a_tile_has_its_number_color_and_cost() -> None:
    assert words.tile(1).startswith("tile 1 (") and "time cost" in words.tile(1)


def test_players_without_a_name_are_called_by_their_seat() -> None:
    people = People((None, "Ben", None), reader=0)
    assert people.others() == "Ben and Player 3"
    assert people.called(0) == "Player 1"


def test_two_of_one_name_are_told_apart() -> None:
    people = People(("Ann", "Ben", "Ann"), reader=1)
    assert people.others() == "Ann (player 1) and Ann (player 3)"


def test_a_name_written_from_right_to_left_keeps_to_itself() -> None:
    assert display_name("יעל", 0) == "\u2068יעל\u2069"
    assert display_name("Ann\u202e\r\nx", 0) == "Ann x"
    assert display_name("\u202e", 1) == "Player 2"
