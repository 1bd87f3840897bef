"""Mails to the service's own address whose sender is not proven, and how much a mail can start."""

from datetime import timedelta

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from service.access.address_hash import address_hashes
from service.jobs.worker_context import WorkerContext
from service.store import never_mail
from service.store.accounts import Account
from service.store.tables import Table
from tests.support import world
from tests.support.clock import NOW, Clock
from tests.support.mail.text import text_of
from tests.support.world import KEYS
from tests.unit.jobs.matches import Match
from tests.unit.jobs.writing import SERVICE, Post, lines_of, taking_mail

ANN = "Ann <ann@example.org>"


@pytest.fixture
def post(session: Session, context: WorkerContext) -> Post:
    """Return a service without a relay that checks its mails."""
    world.account(session, "Ann")
    return Post(taking_mail(context), session, dmarc=None)


def begun(post: Post) -> int:
    return post.session.scalar(select(func.count()).select_from(Table).where(Table.closed_at.is_(None))) or 0


@pytest.mark.parametrize("dmarc", [None, "none", "fail", "temperror"])
@pytest.mark.parametrize("said", ["solo", "new 3 players", "new 2, pills@spam.example"])
def test_an_unproven_beginning_waits_for_a_yes(post: Post, said: str, dmarc: str | None) -> None:
    post.dmarc = dmarc
    assert post.write(SERVICE, said, ANN, subject="Buy our pills") == []
    (asked,) = post.sent
    assert asked["To"] == ANN and "pills" not in asked.as_string() and begun(post) == 0
    (answer,) = post.answer(asked, "yes")
    assert begun(post) == 1 and lines_of(answer)


def test_a_yes_counts_once_and_then_the_question_is_too_old(post: Post) -> None:
    post.write(SERVICE, "solo", ANN)
    (asked,) = post.sent
    post.answer(asked, "yes")
    (again,) = post.answer(asked, "yes")
    assert begun(post) == 1 and "That code is too old or was used" in text_of(again)


@pytest.mark.parametrize(("late", "games"), [(-1, 1), (0, 0)])
def test_a_question_can_be_answered_for_three_days(post: Post, clock: Clock, late: int, games: int) -> None:
    post.write(SERVICE, "solo", ANN)
    (asked,) = post.sent
    clock.now = NOW + timedelta(days=3, seconds=late)
    post.answer(asked, "yes")
    assert begun(post) == games


def test_an_unproven_join_waits_for_a_yes(post: Post) -> None:
    table = world.open_table(post.session, world.account(post.session, "Ben"), seats=2)
    post.write(SERVICE, f"join {table}", ANN)
    (asked,) = post.sent
    assert world.loaded(post.session, table).status == "open"
    post.answer(asked, "yes")
    assert world.loaded(post.session, table).status == "running"


@pytest.mark.parametrize("said", ["stop", "Please take me off your list", "delete my account", "settings"])
def test_an_unproven_mail_is_told_where_the_settings_are(post: Post, said: str) -> None:
    (answer,) = post.write(SERVICE, said, ANN)
    assert "Your settings are at https://nova-luna.example.org/settings:" in lines_of(answer)[0]


@pytest.mark.slow
def test_three_hundred_spoofed_mails_are_one_question(post: Post) -> None:
    for number in range(300):
        post.put(SERVICE, "solo\n" * 60, ANN, subject=f"{number}")
    post.run()
    assert len(post.sent) == 1 and begun(post) == 0


@pytest.mark.slow
def test_spoofed_mails_of_many_kinds_are_ten_mails_a_day(post: Post, clock: Clock) -> None:
    kinds = ("solo", "new {}", "join {}", "help", "say pills {}", "deutsch", "2 F", "games", "stop", "Buy pills {}", "")
    for number in range(110):
        post.put(SERVICE, kinds[number % len(kinds)].format(number % 3 + 2), ANN, subject=f"Buy pills {number}")
    post.run()
    assert len(post.sent) == 10 and begun(post) == 0
    assert not any("pills" in mail.as_string() for mail in post.sent)
    assert post.session.scalar(select(Account.language).where(Account.email == "ann@example.org")) == "en"
    clock.now = world.later(days=1)
    post.write(SERVICE, "new 4", ANN)
    assert len(post.sent) == 11


def test_the_newest_question_alone_stands(post: Post) -> None:
    post.write(SERVICE, "solo", ANN)
    post.write(SERVICE, "new 2", ANN)
    first, second = post.sent
    post.answer(first, "yes")
    assert begun(post) == 0
    post.answer(second, "yes")
    assert begun(post) == 1


@pytest.mark.slow
def test_spoofed_mails_spend_nothing_of_the_accounts_own(post: Post) -> None:
    match = Match(post)
    for number in range(50):
        post.put(SERVICE, ("help", "solo", "new 3", "new 4")[number % 4], match.player)
    post.run()
    assert len(post.answer(match.mail, "help")) == 1
    post.dmarc = "pass"
    assert len(post.write(SERVICE, "solo", match.player)) == 1


def test_a_listed_address_is_not_asked_back(post: Post) -> None:
    never_mail.add(post.session, address_hashes(KEYS, "ann@example.org"), NOW)
    for said in ("solo", "help", "say hello"):
        post.write(SERVICE, said, ANN)
    assert post.sent == []


def test_a_strangers_proven_mail_is_answered_after_many_forged_ones(post: Post) -> None:
    few = Post(taking_mail(post.context, limit_strangers=3), post.session, dmarc=None)
    for name in ("dora", "eve", "fay", "cleo"):
        few.write(SERVICE, "solo", f"{name}@example.org")
    few.write(SERVICE, "solo", "dora@example.org")
    assert len(few.sent) == 3
    few.dmarc = "pass"
    few.write(SERVICE, "solo", "cleo@example.org")
    few.write(SERVICE, "solo", "dora@example.org")
    assert len(few.got("cleo@example.org")) == 1 and len(few.got("dora@example.org")) == 2


@pytest.mark.parametrize(
    ("said", "lines"), [("solo\n" * 60, 2), ("new 2\nsolo\nnew 3\n", 3), ("solo\njoin abcdefgh\n", 2)]
)
def test_a_mail_begins_one_thing_and_tells_of_the_rest_once(post: Post, said: str, lines: int) -> None:
    post.dmarc = "pass"
    (answer,) = post.write(SERVICE, said, ANN)
    told = lines_of(answer)
    assert begun(post) == 1 and len(told) == lines
    assert all("A mail begins one thing" in line for line in told[1:])


def test_an_answer_at_a_table_begins_one_thing_too(post: Post) -> None:
    match = Match(post)
    before = begun(post)
    post.answer(match.mail, "solo\nsolo\nnew 3")
    assert begun(post) == before + 1


def test_a_beginning_from_elsewhere_is_asked_apart(post: Post) -> None:
    match = Match(post)
    before = begun(post)
    post.answer(match.mail, "solo\nnew 3", sender="Else <else@work.example>")
    asked = next(mail for mail in post.got(match.address) if str(mail["Message-ID"]).startswith("<code."))
    assert begun(post) == before
    post.answer(asked, "yes")
    assert begun(post) == before + 1


def test_ten_beginnings_a_day_by_mail(post: Post, clock: Clock) -> None:
    post.dmarc = "pass"
    answers = [post.write(SERVICE, "solo", ANN)[0] for _ in range(11)]
    assert begun(post) == 10 and "You can begin at most 10 things by mail a day" in lines_of(answers[-1])[0]
    clock.now = world.later(days=1)
    post.write(SERVICE, "solo", ANN)
    assert begun(post) == 11


def test_what_is_refused_spends_no_beginning(post: Post) -> None:
    post.dmarc = "pass"
    for _ in range(11):
        post.write(SERVICE, "new 7 players\njoin nothingatall", ANN)
    post.write(SERVICE, "solo", ANN)
    assert begun(post) == 1
    assert post.session.scalar(text("SELECT count(*) FROM codes")) == 0
