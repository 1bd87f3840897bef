"""A game of three with a clock, by mail alone: one is away, one vanishes, one gives time, and it comes to its end."""

from email.message import EmailMessage

import pytest

from tests.acceptance.by_mail.conftest import SERVICE, Service
from tests.acceptance.by_mail.people import Correspondent, a_move, asks_for_a_move
from tests.support.mail.text import text_of


def kind(mail: EmailMessage) -> str:
    return str(mail["Message-ID"]).lstrip("<").split(".")[0]


def words(mail: EmailMessage) -> str:
    return " ".join(text_of(mail).split())


class Game:
    """A game in which everybody answers each mail that asks for a move, but for those who are silent."""

    def __init__(self, service: Service, *people: Correspondent) -> None:
        self.service, self.people = service, people
        self.silent: list[Correspondent] = []
        self.waiting: tuple[Correspondent, EmailMessage] | None = None
        self.told: dict[str, int] = {}
        self.moves = 0

    @property
    def is_over(self) -> bool:
        return all(any(kind(mail) == "end" for mail in person.got) for person in self.people)

    def read(self) -> list[tuple[Correspondent, EmailMessage]]:
        """Wait for new mails, answer those that ask for something, and return all of them."""
        mails = list(self.service.new_mails())
        for person, mail in mails:
            if kind(mail) in ("code", "invitation"):
                person.answer(mail, "Yes")
            elif asks_for_a_move(mail) and person in self.silent:
                self.waiting = (person, mail)
            elif asks_for_a_move(mail):
                person.answer(mail, a_move(mail))
                self.moves += 1
        return mails

    def until_waiting(self, person: Correspondent) -> EmailMessage:
        """Play on until it is the turn of somebody who is silent, and return the mail that says so."""
        self.silent.append(person)
        self.waiting = None
        while self.waiting is None:
            self.read()
        return self.waiting[1]

    def until_told(self, about: str, *people: Correspondent) -> list[EmailMessage]:
        """Read mails until each of these people has a new one that contains the words, and return those mails."""
        return [self._told(about, person) for person in people]

    def _told(self, about: str, person: Correspondent) -> EmailMessage:
        while True:
            for number in range(self.told.get(person.name, 0), len(person.got)):
                if about in words(person.got[number]):
                    self.told[person.name] = number + 1
                    return person.got[number]
            self.read()


@pytest.mark.slow
def test_three_people_one_away_one_vanished_and_one_who_gives_time(service: Service) -> None:
    ann, ben, cleo = (service.person(name) for name in ("Ann", "Ben", "Cleo"))
    game = Game(service, ann, ben, cleo)
    ann.write(SERVICE, "A game?", "new 3 players, 1 day a move, ben@example.org, cleo@example.org")
    game.until_told("It is your turn", next(iter((ann,))))
    assert all(
        "Each player has 1 day for each turn." in words(mail)
        for mail in ben.got + cleo.got
        if kind(mail) == "invitation"
    )

    mail = game.until_waiting(ben)
    assert "left, until" in words(mail)
    ben.answer(mail, "away for 6 days")
    game.until_told("and your clocks stand still", ben)
    for _ in range(4):
        service.go_on(days=1)
    assert not [mail for person in game.people for mail in person.got if kind(mail) == "step"]
    ben.answer(mail, "back")
    game.until_told("Your absence is over", ben)
    game.silent.clear()
    ben.answer(mail, a_move(mail))

    game.until_waiting(cleo)
    service.go_on(days=1)
    steps = game.until_told("The time of Cleo is up.", ann, ben)
    assert all("a last grace period begins" in words(step) and "more time 2 days" in words(step) for step in steps)
    ann.answer(steps[0], "more time 2 days")
    game.until_told("once all the others have said so too", ann)
    ben.answer(steps[1], "more time 3 days")
    game.until_told("All have said so: the time is given.", ben)
    game.until_told("1 day 23 hours left, until", cleo)
    service.go_on(days=2)
    game.until_told("The time of Cleo is up.", ann, ben)
    service.go_on(days=1)
    game.until_told("This is the grace period", ann, ben, cleo)
    service.go_on(days=2)
    (last,) = game.until_told("so a bot took over your seat", cleo)
    assert "To take your seat back, answer: “back”" in words(last)

    while not game.is_over:
        game.read()
    ended = [next(mail for mail in person.got if kind(mail) == "end") for person in game.people]
    assert len(ended) == 3 and game.moves > 20
