"""Answers by mail: what each line does, and what is mailed back. From the queue into the Maildir."""

import re
from email.message import EmailMessage

import pytest
from sqlalchemy.orm import Session

from service.jobs.workshop import Workshop
from service.language.cell_letters import lettered
from service.queries.table import LoadedTable
from tests.jobs.writing import SERVICE, Post, taking_mail, text_of
from tests.service.games import world

ANN, BEN = "Ann <ann@example.org>", "Ben <ben@example.org>"


@pytest.fixture
def post(session: Session, workshop: Workshop) -> Post:
    return Post(taking_mail(workshop), session)


class Match:
    """A match of Ann and Ben, and the mail of its first turn."""

    def __init__(self, post: Post, goal_discs: int = 20) -> None:
        self.post = post
        self.accounts = world.account(post.session, "Ann"), world.account(post.session, "Ben")
        self.id = world.match(post.session, *self.accounts, goal_discs=goal_discs)
        post.run()
        self.seat = self.table.state.turn or 0
        self.player, self.other = (ANN, BEN)[self.seat], (BEN, ANN)[self.seat]
        (self.mail,) = post.got(self.address())

    def address(self) -> str:
        return ("ann@example.org", "ben@example.org")[self.seat]

    @property
    def table(self) -> LoadedTable:
        return world.loaded(self.post.session, self.id)

    def moves(self) -> list[str]:
        return [entry.move for entry in self.table.entries]

    def cell(self, letter: str) -> tuple[int, int]:
        display = self.table.state.displays[self.seat]
        return dict(lettered(display.open_cells()))[letter]


@pytest.fixture
def match(post: Post) -> Match:
    return Match(post)


def test_a_turn_mail_is_answered_and_the_move_is_made(match: Match, post: Post) -> None:
    second = match.table.state.wheel.choices()[1]
    (answer,) = post.answer(match.mail, "2 A\n\nBye, Ann\n")
    assert match.moves() == [f"{second}@0,0"]
    assert f"You placed tile {second} (" in text_of(answer)
    assert answer["In-Reply-To"] and answer["Auto-Submitted"] == "auto-replied"
    assert str(answer["References"]).split()[0] == str(match.mail["References"])
    assert answer["Subject"] == f"Re: {match.mail['Subject']}"
