"""A game of two and a solo, from the first mail of unknown people to the end."""

import pytest

from tests.acceptance.by_mail.conftest import SERVICE, Service
from tests.acceptance.by_mail.people import a_move, asks_for_a_move
from tests.support.mail.text import text_of


def test_two_strangers_play_a_game_to_its_end(service: Service) -> None:
    ann, ben = service.person("Ann"), service.person("Ben")
    ann.write(SERVICE, "A game?", "Hello,\n\nnew 2 players, ben@example.org\n\nAnn")
    moves = 0
    while len(ends := [mail for one in (ann, ben) for mail in one.got if "<end." in str(mail["Message-ID"])]) < 2:
        for person, mail in service.new_mails():
            kind = str(mail["Message-ID"]).split(".")[0]
            if kind in ("<code", "<invitation"):
                person.answer(mail, "Yes")
            elif asks_for_a_move(mail):
                moves += 1
                person.answer(mail, a_move(mail))
    told = {one.name: [line for mail in one.got for line in text_of(mail).splitlines()] for one in (ann, ben)}
    assert moves > 20
    assert not [
        line for lines in told.values() for line in lines if "Nothing was done" in line or "was left out" in line
    ]
    assert {str(mail["Subject"]).split(":")[0] for mail in ends} == {"You won", "The game is over"}


@pytest.mark.slow
def test_a_stranger_plays_a_solo_to_its_end_in_one_thread(service: Service) -> None:
    cleo = service.person("Cleo")
    cleo.write(SERVICE, "Let me play alone", "solo")
    moves = 0
    while not (cleo.got and "The solo ended with a score of " in text_of(cleo.got[-1])):
        for _, mail in service.new_mails():
            if asks_for_a_move(mail):
                cleo.answer(mail, a_move(mail))
                moves += 1
            elif not moves:
                cleo.answer(mail, "yes")
    code, *answers = cleo.got
    assert len(answers) == 1 + moves and len(cleo.sent) == len(cleo.got)
    assert moves >= 7  # no tile has more than three goals, and 21 discs are to be placed; most draws take 20
    (thread,) = {str(mail["References"]).split()[0] for mail in answers}
    assert thread.startswith("<game.")
    assert [mail["In-Reply-To"] for mail in answers] == [mail["Message-ID"] for mail in cleo.sent[1:]]
    assert code["Subject"] == "Answer “yes” to begin a solo"
    assert [mail["Subject"].removeprefix("Re: ") for mail in answers] == ["Nova Luna: your solo"] * len(answers)
    assert "CHECK IT YOURSELF" in text_of(answers[-1]) and "/record" in text_of(answers[-1])
