"""What happened at a table, in sentences, from games that the engine played."""

import pytest

from engine.draw import Draw
from engine.game import Match
from engine.moves import END, REFILL, RESIGN, TIMEOUT, Mark, Move, Place
from engine.result import Result
from engine.solo import Solo
from engine.table import Step
from service.language.happenings import happening, outcome
from service.language.languages import language
from service.language.people import People, public_name

NAMES = ("Ann", "Ben", "Cleo")
TILES = Draw(bytes(32), "story", ("", "", "")).tiles


def a_match() -> Match:
    return Match(3, 20, TILES, [2, 1, 0])


def told(state: Match | Solo, seat: int | None, move: Move, reader: int | None = None) -> str | None:
    return happening(state.advance(seat, move), People(NAMES, reader))


def play_until(state: Match | Solo, wanted: str) -> Step:
    """Advance by the first legal move until a step has the fact of this name."""
    while True:
        step = state.advance(state.turn, state.legal_moves()[0])
        if getattr(step, wanted):
            return step


def test_a_placement_names_tile_cell_and_player() -> None:
    state = a_match()
    first = state.wheel.choices()[0]
    sentence = told(state, 0, Place(first, 0, 0))
    assert sentence is not None
    assert sentence.startswith(f"Ann placed tile {first} (") and sentence.endswith("at (0, 0).")


def test_the_reader_is_you() -> None:
    state = a_match()
    sentence = told(state, 0, Place(state.wheel.choices()[0], 0, 0), reader=0)
    assert sentence is not None and sentence.startswith("You placed tile ")


def test_covered_goals_are_named_with_their_tiles() -> None:
    step = play_until(a_match(), "covered")
    sentence = happening(step, People(NAMES))
    assert sentence is not None
    assert " and covered " in sentence
    assert all(f"on tile {tile}" in sentence for tile, _ in step.covered)


def test_covered_goals_are_told_with_the_tiles_that_counted() -> None:
    state = a_match()
    step = play_until(state, "covered")
    (tile, goal), *_ = step.covered
    by, plain = step.covered_by, happening(step, People(NAMES))
    sentence = happening(step, People(NAMES), None, by)
    assert sentence is not None and plain is not None and sentence != plain
    counting = step.counting(tile, goal)
    assert f"on tile {tile}, by tile" in sentence and all(str(each) in sentence for each in counting)
    for _ in range(12):
        state.advance(state.turn, state.legal_moves()[0])
    assert happening(step, People(NAMES), None, by) == sentence, "as it was at the time"


def test_a_refill_by_itself_is_told_with_the_move_before_it() -> None:
    step = play_until(a_match(), "by_itself")
    sentence = happening(step, People(NAMES))
    assert sentence is not None
    assert sentence.endswith("That emptied the selection track, so it was refilled with 11 new tiles.")


def test_a_refill_says_how_many_tiles_came() -> None:
    state = a_match()
    while not state.may_refill():
        state.advance(state.turn, state.legal_moves()[0])
    on_track, turn = len(state.wheel.ring), state.turn
    assert turn is not None
    number = {1: 10, 2: 9}[on_track]
    assert told(state, turn, REFILL) == f"{NAMES[turn]} refilled the selection track with {number} new tiles."


def test_leaving_and_ending() -> None:
    state = a_match()
    assert told(state, 1, RESIGN) == "Ben left the game."
    assert told(a_match(), 1, TIMEOUT) == "Ben was put out of the game."
    assert told(a_match(), 1, TIMEOUT, reader=1) == "You were put out of the game."
    assert told(a_match(), None, END) == "The game was ended before anybody had won."
    assert told(a_match(), None, Mark("nudge")) is None
    assert told(a_match(), 1, Mark("clock.back")) == "Ben is back."


def test_a_move_by_a_bot_says_so() -> None:
    state = a_match()
    step = state.advance(0, Place(state.wheel.choices()[0], 0, 0))
    sentence = happening(step, People(NAMES), "bot:greedy")
    assert sentence is not None and sentence.endswith("at (0, 0). A bot made this move.")


def test_how_a_match_ended() -> None:
    state = a_match()
    state.advance(1, RESIGN)
    left = state.advance(2, RESIGN).ended
    assert left is not None
    assert outcome(left, People(NAMES)) == "Everybody else has left, so Ann has won."
    assert outcome(left, People(NAMES, 0)) == "Everybody else has left, so you have won."
    ended = a_match().advance(None, END).ended
    assert ended is not None
    assert outcome(ended, People(NAMES)) == "The game was ended before anybody had won."
    tiles = play_until(a_match(), "ended").ended
    assert tiles is not None and tiles.reason == "tiles"
    assert outcome(tiles, People(NAMES)).startswith("There are no tiles left. ")
    discs = play_until(Match(2, 5, Draw(bytes(32), "discs", ("", "")).tiles, [1, 0]), "ended").ended
    assert discs is not None and discs.reason == "discs" and discs.ranking is not None
    assert outcome(discs, People(NAMES[:2])) == f"{NAMES[discs.ranking[0]]} placed the last goal disc and won."


@pytest.mark.parametrize(
    ("code", "left", "tiles"),
    [
        ("fr", "Il ne reste que toi, donc tu as gagné.", "Tu as gagné\u00a0; il te restait 1 jeton à poser."),
        ("es", "Solo quedas tú, así que has ganado.", "Has ganado, con 1 ficha por colocar."),
        ("de", "Nur du bist noch dabei, also hast du gewonnen.", "Du hast gewonnen und hattest noch 1 Scheibe übrig."),
    ],
)
def test_an_end_with_one_other_and_one_disc_agrees_with_its_numbers(code: str, left: str, tiles: str) -> None:
    people = People(NAMES[:2], 0, language(code))
    assert outcome(Result("match", "left", (1, 2), (0, 1)), people) == left
    assert outcome(Result("match", "tiles", (1, 2), (0, 1)), people).endswith(tiles)


def test_outcome_of_a_solo_names_its_score() -> None:
    state = Solo(TILES)
    result = play_until(state, "ended").ended
    assert result is not None and result.score is not None
    assert f"a score of {result.score}: {result.first_total} at the refill" in outcome(result, People(("Ann",)))
    gone = Solo(TILES).advance(0, RESIGN).ended
    assert gone is not None
    assert outcome(gone, People(("Ann",), 0)) == "The solo was left before its end, so it has no score."


def test_a_move_by_a_bot_at_its_own_seat_needs_no_word_about_that() -> None:
    state = a_match()
    step = state.advance(0, Place(state.wheel.choices()[0], 0, 0))
    sentence = happening(step, People(("bot:greedy", "Ben", "Cleo")), "bot:greedy")
    assert sentence is not None and sentence.startswith("Greedy bot ") and sentence.endswith("at (0, 0).")


@pytest.mark.parametrize(
    ("code", "name"), [("en", "Greedy bot"), ("fr", "Robot glouton"), ("es", "Bot voraz"), ("de", "Gieriger Bot")]
)
def test_a_bot_has_a_name_in_each_language(code: str, name: str) -> None:
    assert People(("Ann", "bot:greedy"), 0, language(code)).others() == name
    assert People(("bot:greedy", "Ann", "bot:greedy"), 1, language(code)).called(2).startswith(f"{name} (")
    assert public_name("bot:greedy") == "Greedy bot" and public_name(None) is None and public_name("Ann") == "Ann"
