"""Moves that are probable but not certain: the player is asked about each, and `yes` plays exactly that."""

import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session

from engine.tiles import TILES
from service.jobs.worker_context import WorkerContext
from service.store import talk
from service.store.accounts import Account
from tests.support.mail.text import text_of
from tests.unit.jobs.matches import Match
from tests.unit.jobs.writing import Post, lines_of, taking_mail


@pytest.fixture
def post(session: Session, context: WorkerContext) -> Post:
    return Post(taking_mail(context, limit_answers_per_address=500), session)


@pytest.fixture
def match(post: Post) -> Match:
    """Return a match whose mailed player has six open cells and three choices, no tile of which has such a number."""
    while True:
        match = Match(post)
        for _ in range(25):
            match.move()
            state = match.table.state
            open_cells = [] if state.turn is None else state.displays[state.turn].open_cells()
            choices = state.wheel.choices()
            if len(open_cells) >= 6 and match.turns_in_a_row() and len(choices) == 3 and not {1, 2, 3} & set(choices):
                post.run()
                match.change_sides()
                return match
        post.forget()


LIKELY = [
    "tile 2 on f.", "2nd tile, F", "Ich nehme Plättchen 2 auf F", "I'll take the second tile and put it at F",
    "Place 2 into F, thanks Ben!",
    "Je prends la 2 et je la mets en F", "Para mí la 2 en F", "Tom\n2F", "Nice game so far.\n\n2 F\n\nTom",
]  # fmt: skip


def test_each_is_asked_back_with_its_reading_and_yes_plays_it(match: Match, post: Post) -> None:
    before, tile, (x, y) = match.moves(), match.table.state.wheel.choices()[1], match.cells()["F"]
    asked = []
    for said in LIKELY:
        (answer,) = post.answer(match.mail, said)
        assert f"Did you mean choice 2 (tile {tile}) at F? Then answer “yes”" in text_of(answer), said
        assert "YOUR CHOICES" in text_of(answer) and match.moves() == before
        asked.append(answer)
    (done,) = post.answer(asked[0], "Yes, please!\n\nTom")
    assert match.moves() == [*before, f"{tile}@{x},{y}"] and f"You placed tile {tile} (" in text_of(done)
    (late,) = post.answer(asked[1], "yes")
    assert "You have moved since the mail that you answered was written" in text_of(late)
    assert len(match.moves()) == len(before) + 1


@pytest.mark.parametrize("yes", ["Ja, genau!", "Oui, c’est ça", "¡Sí, eso es!"])
def test_yes_in_other_languages_plays_it(match: Match, post: Post, yes: str) -> None:
    post.session.execute(update(Account).values(language="de"))
    (asked,) = post.answer(match.mail, "die zweite bitte auf Feld F legen")
    assert "Meintest du die Wahl 2" in text_of(asked) and "antworte „ja“" in text_of(asked)
    before = len(match.moves())
    post.answer(asked, yes)
    assert len(match.moves()) == before + 1


def test_the_mail_that_asks_takes_another_answer_too(match: Match, post: Post) -> None:
    before, first, (x, y) = match.moves(), match.table.state.wheel.choices()[0], match.cells()["A"]
    (asked,) = post.answer(match.mail, "the second one at F")
    post.answer(asked, "1 A")
    assert match.moves() == [*before, f"{first}@{x},{y}"]


def test_yes_to_a_mail_that_asked_nothing_plays_nothing(match: Match, post: Post) -> None:
    before = match.moves()
    for said in ("2 F or 1 A", "not 2 F", "2 F?", "Hello!"):
        (asked,) = post.answer(match.mail, said)
        assert "Did you mean choice" not in text_of(asked)
        (told,) = post.answer(asked, "yes")
        assert "That mail did not ask anything that you could say yes to." in text_of(told)
    assert match.moves() == before


def test_what_is_missing_is_asked_with_what_fits(match: Match, post: Post) -> None:
    before, cells = match.moves(), ", ".join(match.cells())
    (which,) = post.answer(match.mail, "2")
    assert f"Which cell? Choice 2 can go to {cells}; write “2 A”, for example." in text_of(which)
    (tile,) = post.answer(match.mail, "F")
    assert "Which tile at F? Write “1 F”, “2 F” or “3 F”." in text_of(tile)
    (none,) = post.answer(match.mail, "the second one at Z please")
    assert "There is no such cell" in lines_of(none)[0]
    assert match.moves() == before


def test_a_line_with_a_known_fault_is_not_called_unclear(match: Match, post: Post) -> None:
    (none,) = post.answer(match.mail, "1 Z")
    told = "There is no such cell: write the letter of one that is free. Nothing was done."
    assert lines_of(none)[0] == f"“1 Z”: {told}"


def test_a_color_tells_the_one_tile_of_it(match: Match, post: Post) -> None:
    choices = match.table.state.wheel.choices()
    colors = [TILES[tile].color for tile in choices]
    for color in set(colors):
        (answer,) = post.answer(match.mail, f"the {color} one at F")
        if colors.count(color) == 1:
            assert f"Did you mean choice {colors.index(color) + 1} " in text_of(answer)
        else:
            assert "Which tile at F?" in text_of(answer)


@pytest.mark.parametrize(
    "said",
    [
        "refil pls", "refill and take 1 at A",
        "Refill the track and then take the first tile and put it at A please",
        "Hi Ben,\n\nbitte erst auffüllen und dann die erste auf A\n\nAnn",
        "Remplis la piste puis la première en A", "Rellena la pista y luego la primera en A",
    ],
)  # fmt: skip
def test_a_likely_refill_is_asked_back_and_yes_does_it(post: Post, said: str) -> None:
    match = Match(post)
    while not (match.table.state.may_refill() and match.turns_in_a_row()):
        match.move()
    post.run()
    match.change_sides()
    before = match.moves()
    (asked,) = post.answer(match.mail, said)
    assert "Did you mean a refill? Then answer “yes”" in text_of(asked) and match.moves() == before
    post.answer(asked, "yes")
    assert match.moves() == [*before, "refill"]


def test_what_is_said_is_said_and_the_likely_move_below_it_asked_back(match: Match, post: Post) -> None:
    before = match.moves()
    (asked,) = post.answer(match.mail, "say good luck\nI'll take the second tile and put it at F")
    assert [row.text for row in post.session.query(talk.Message.text).all()] == [
        "good luck"
    ] and match.moves() == before
    post.answer(asked, "yes please")
    assert len(match.moves()) == len(before) + 1
