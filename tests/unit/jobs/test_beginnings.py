"""Mails that start something, and mails from people without an account."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select, text
from sqlalchemy.orm import Session

from engine.clock.terms import Ladder, PerWait, Terms
from service.access.address_hash import address_hashes
from service.commands.confirmations import from_json, to_json
from service.jobs.worker_context import WorkerContext
from service.reading.commands import Command, Join, New, Solo
from service.reading.written_terms import WrittenClock, WrittenLadder
from service.store import never_mail
from service.store.accounts import Account
from service.store.invitations import Invitation
from service.store.tables import Seat, Table
from tests.support import world
from tests.support.clock import NOW, Clock
from tests.support.mail.text import text_of
from tests.support.world import KEYS
from tests.unit.jobs.writing import SERVICE, Post, lines_of, taking_mail

DAY = timedelta(days=1)
ANN, CLEO = "Ann <ann@example.org>", "Cleo <cleo@example.org>"


@pytest.fixture
def post(session: Session, context: WorkerContext) -> Post:
    world.account(session, "Ann")
    return Post(taking_mail(context), session)


def accounts(post: Post) -> set[tuple[str | None, str | None]]:
    rows = post.session.execute(select(Account.email, Account.name).where(Account.email.is_not(None)))
    return {(email, name) for email, name in rows}


def newest(post: Post) -> Table:
    return post.session.scalars(select(Table).order_by(Table.key.desc()).limit(1)).one()


def test_a_new_table_invites_whom_it_names(post: Post) -> None:
    (answer,) = post.write(SERVICE, "new 3 players, Ben@example.org, cleo@example.org", ANN)
    table = newest(post)
    assert (table.seats, table.visibility, table.goal_discs) == (3, "private", 20)
    assert [line.partition(": ")[2] for line in lines_of(answer)] == [
        f"The table {table.id} is open, and you sit at it.", *["This address is mailed an invitation."] * 2
    ]  # fmt: skip
    assert "The table waits for 2 players." in text_of(answer) and table.commitment.hex() in text_of(answer)
    assert [len(post.got(f"{name}@example.org")) for name in ("ben", "cleo")] == [1, 1]


def test_a_new_table_without_a_number_seats_whom_it_names(post: Post) -> None:
    post.write(SERVICE, "new game with Ben@example.org", ANN)
    assert (newest(post).seats, newest(post).visibility) == (2, "private")
    post.write(SERVICE, "new game with ben@example.org and cleo@example.org", ANN)
    assert (newest(post).seats, newest(post).visibility) == (3, "private")
    post.write(SERVICE, "new game with ben@example.org, 1 bot", ANN)
    assert (newest(post).seats, newest(post).visibility) == (3, "private")


def test_a_table_with_a_free_seat_is_public_and_joined_by_its_code(post: Post) -> None:
    world.account(post.session, "Ben")
    (answer,) = post.write(SERVICE, "new 2", ANN)
    table = newest(post)
    assert table.visibility == "public" and f"join {table.id}" in text_of(answer)
    (joined,) = post.write(SERVICE, f"join {table.id}", "ben@example.org")
    assert f"You sit at the table {table.id}." in text_of(joined)
    assert world.loaded(post.session, table.id).status == "running"
    (again,) = post.write(SERVICE, f"join {table.id}", "ben@example.org")
    assert "You sit at this table already." in text_of(again)


def test_an_invitations_code_seats_its_address_alone(post: Post) -> None:
    world.account(post.session, "Ben"), world.account(post.session, "Cleo")
    post.write(SERVICE, "new 2, ben@example.org", ANN)
    made = post.session.scalars(select(Invitation)).one()
    (refused,) = post.write(SERVICE, f"join {world.secret_of(made)}", CLEO)
    assert "There is no such table, or none that you are invited to" in text_of(refused)
    (joined,) = post.write(SERVICE, f"join {world.secret_of(made)}", "ben@example.org")
    assert "You sit at the table" in text_of(joined) and made.used_at is None
    assert post.session.scalars(select(Invitation.used_at)).one() is not None


def test_what_can_not_be_begun_is_told_and_changes_nothing(post: Post) -> None:
    before = post.session.scalar(text("SELECT count(*) FROM tables"))
    for said, why in (
        ("new 7 players", "for two to four"),
        ("new 2, ben@example.org, cleo@example.org", "more addresses than free seats"),
        ("new 2, ann@example.org", "That is your own address"),
        ("join nothingatall", "There is no such table"),
        ("say hello", "It is not clear which game this is about"),
        ("2 F", "It is not clear which game this is about"),
        ("new", "Say for how many the game is"),
    ):
        (answer,) = post.write(SERVICE, said, ANN)
        assert why in text_of(answer)
    assert post.session.scalar(text("SELECT count(*) FROM tables")) == before


def test_limits_of_invitations_hold_for_mail_too(post: Post) -> None:
    few = Post(taking_mail(post.context, limit_invitations_per_account=1), post.session)
    (answer,) = few.write(SERVICE, "new 3, ben@example.org, cleo@example.org", ANN)
    assert "You can send at most 1 invitations a day" in lines_of(answer)[2]
    assert post.session.scalar(text("SELECT count(*) FROM invitations")) == 1


def test_a_strangers_code_makes_the_account_and_does_what_was_asked(post: Post) -> None:
    assert post.write(SERVICE, "solo", CLEO) == []
    (asked,) = post.got("cleo@example.org")
    assert asked["Subject"] == "Answer “yes” to begin a solo" and len(accounts(post)) == 1
    (begun,) = post.answer(asked, "yes", sender=CLEO)
    assert accounts(post) == {("ann@example.org", "Ann"), ("cleo@example.org", "Cleo")}
    assert "You have an account now" in lines_of(begun)[0] and "A solo has begun." in lines_of(begun)[1]
    (again,) = post.answer(asked, "yes", sender=CLEO)
    assert post.session.scalar(text("SELECT count(*) FROM seats JOIN accounts ON id = account AND name = 'Cleo'")) == 1
    assert "A solo has begun" not in text_of(again)


def test_the_answer_to_a_code_may_ask_for_something_else(post: Post) -> None:
    post.write(SERVICE, "solo", CLEO)
    (asked,) = post.got("cleo@example.org")
    post.answer(asked, "new 2, ann@example.org", sender="cleo@example.org")
    assert newest(post).kind == "match" and ("cleo@example.org", None) in accounts(post)
    assert post.got("ann@example.org")[-1]["Subject"] == "Somebody invites you to a game of Nova Luna"


def test_a_stranger_gets_one_mail_a_day_for_one_request(post: Post, clock: Clock) -> None:
    for _ in range(5):
        post.write(SERVICE, "solo", CLEO)
    assert len(post.got("cleo@example.org")) == 1
    clock.now = world.later(hours=25)
    post.write(SERVICE, "solo", CLEO)
    assert len(post.got("cleo@example.org")) == 2


def test_each_proven_request_of_a_stranger_gets_a_code_of_its_own(post: Post) -> None:
    post.write(SERVICE, "help", CLEO)
    post.write(SERVICE, "new 2", CLEO)
    first, second = post.got("cleo@example.org")
    (begun,) = post.answer(second, "yes", sender=CLEO)
    assert "is open, and you sit at it" in text_of(begun) and newest(post).seats == 2
    (told,) = post.answer(first, "yes", sender=CLEO)
    assert "WHAT YOU CAN WRITE" in text_of(told)


def test_requests_of_a_stranger_are_limited_and_more_if_unproven(post: Post) -> None:
    for asked in ("help", "new 2", "new 3", "new 4", "solo", "join abcdefghij", "new 2, dora@example.org"):
        post.write(SERVICE, asked, CLEO)
    assert len(post.got("cleo@example.org")) == 5
    post.dmarc = None
    for asked in ("help", "new 2"):
        post.write(SERVICE, asked, "Eve <eve@example.org>")
    assert len(post.got("eve@example.org")) == 1


def test_an_old_code_promises_no_other_to_an_account(post: Post) -> None:
    post.write(SERVICE, "solo", CLEO)
    (asked,) = post.got("cleo@example.org")
    post.answer(asked, "yes", sender=CLEO)
    (told,) = post.answer(asked, "oui", sender=CLEO)
    assert "write what you would like to begin" in text_of(told) and "another one comes" not in text_of(told)


def test_the_addresses_of_one_mailbox_get_one_mail_a_day(post: Post) -> None:
    for sender in ("cleo@gmail.com", "cleo+1@gmail.com", "cl.eo+2@gmail.com", "cleo@example.org", "cl.eo@example.org"):
        post.write(SERVICE, "solo", sender)
    assert [mail["To"] for mail in post.sent] == ["cleo@gmail.com", "cleo@example.org", "cl.eo@example.org"]


def test_only_so_many_strangers_are_mailed(post: Post) -> None:
    few = Post(taking_mail(post.context, limit_strangers=2), post.session)
    for name in ("dora", "eve", "fay"):
        few.write(SERVICE, "solo", f"{name}@example.org")
    assert len(few.sent) == 2


def test_a_listed_address_is_sent_nothing(post: Post) -> None:
    post.dmarc = None
    never_mail.add(post.session, address_hashes(KEYS, "cleo@example.org"), NOW)
    post.write(SERVICE, "solo", CLEO)
    assert post.sent == []


def test_a_code_that_is_too_old_proves_nothing(post: Post, clock: Clock) -> None:
    post.write(SERVICE, "solo", CLEO)
    (asked,) = post.got("cleo@example.org")
    clock.now = world.later(days=4)
    (answer,) = post.answer(asked, "yes", sender=CLEO)
    assert "That code is too old or was used" in text_of(answer) and len(accounts(post)) == 1


def test_an_invited_stranger_agrees_by_an_answer_and_sits(post: Post) -> None:
    post.write(SERVICE, "new 2, cleo@example.org", ANN)
    (invited,) = post.got("cleo@example.org")
    post.answer(invited, "Yes", sender=CLEO)
    assert ("cleo@example.org", "Cleo") in accounts(post)
    game = world.loaded(post.session, newest(post).id)
    assert game.status == "running" and [player.name for player in game.players] == ["Ann", "Cleo"]
    (again,) = post.answer(invited, "yes", sender=CLEO)
    assert "You sit at this table already." in text_of(again)


@pytest.mark.parametrize(
    "said",
    [
        "Hi Ann,\n\nI'd love to!\n\nBest,\nCleo",
        "Sure, why not!",
        "Yes, when do we start?",
        "Ja! Wer spielt noch mit?",
        "I want to play!",
    ],
)
def test_an_invited_stranger_agrees_in_words_of_their_own(post: Post, said: str) -> None:
    post.write(SERVICE, "new 2, cleo@example.org", ANN)
    (invited,) = post.got("cleo@example.org")
    post.answer(invited, said, sender=CLEO)
    assert [player.name for player in world.loaded(post.session, newest(post).id).players] == ["Ann", "Cleo"]


def test_a_stranger_agrees_to_a_code_in_words_of_their_own(post: Post) -> None:
    post.write(SERVICE, "solo", CLEO)
    (asked,) = post.got("cleo@example.org")
    post.answer(asked, "Sure, thanks!", sender=CLEO)
    assert ("cleo@example.org", "Cleo") in accounts(post) and newest(post).status == "running"


@pytest.mark.parametrize(
    "said", ["Meld mich an", "Je veux jouer !", "Me quiero registrar, por favor", "I want to play"]
)
def test_a_wish_to_play_is_answered_with_a_code(post: Post, said: str) -> None:
    post.write(SERVICE, said, CLEO)
    (asked,) = post.got("cleo@example.org")
    post.answer(asked, "yes", sender=CLEO)
    assert ("cleo@example.org", "Cleo") in accounts(post)


def test_whoever_only_signs_up_is_told_what_can_be_written(post: Post) -> None:
    post.write(SERVICE, "sign up", CLEO)
    (asked,) = post.got("cleo@example.org")
    (answer,) = post.answer(asked, "yes", sender=CLEO)
    assert "You have an account now" in text_of(answer) and "“new 3, friend@example.org”" in text_of(answer)


def test_words_alone_answer_no_code_that_is_no_longer_valid(post: Post) -> None:
    post.write(SERVICE, "solo", CLEO)
    (asked,) = post.got("cleo@example.org")
    post.answer(asked, "yes", sender=CLEO)
    (answer,) = post.answer(asked, "No thanks", sender=CLEO)
    assert "That code is too old or was used" in text_of(answer)


def test_accepting_from_another_address_seats_the_invited_one(post: Post) -> None:
    post.write(SERVICE, "new 2, cleo@example.org", ANN)
    (invited,) = post.got("cleo@example.org")
    assert post.answer(invited, "yes", sender="Cleo <cleo@work.example>") == []
    assert ("cleo@example.org", None) in accounts(post)
    assert "came from cleo@work.example" in text_of(post.got("cleo@example.org")[-1])


@pytest.mark.parametrize(
    "said", ["stop", "help\nstop", "No thanks, sorry", "Not this time", "Take me off your list, please"]
)
def test_an_invitation_is_declined_by_stop_without_an_account(post: Post, said: str) -> None:
    post.write(SERVICE, "new 2, cleo@example.org", ANN)
    (invited,) = post.got("cleo@example.org")
    (answer,) = post.answer(invited, said, sender=CLEO)
    assert "You declined the invitation." in text_of(answer) and len(accounts(post)) == 1
    assert "If you don’t want any mail from here again:\nhttps://nova-luna.example.org/never-mail?" in text_of(answer)
    assert post.session.scalars(select(Invitation.declined_at)).one() is not None


def test_an_invitation_that_came_too_late_says_so(post: Post, clock: Clock) -> None:
    post.write(SERVICE, "new 2, cleo@example.org", ANN)
    (invited,) = post.got("cleo@example.org")
    clock.now = world.later(days=15)
    (answer,) = post.answer(invited, "yes", sender=CLEO)
    assert "The invitation has expired." in text_of(answer)
    assert post.session.scalar(select(Seat.seat).where(Seat.seat == 1, Seat.game == newest(post).key)) is None


def test_a_solo_goes_on_in_one_thread(post: Post) -> None:
    (mail,) = post.write(SERVICE, "solo", ANN, subject="Let me play")
    assert mail["Subject"] == "Nova Luna: your solo"
    solo = newest(post)
    for _ in range(3):
        (following,) = post.answer(mail, "choice 1 at A")
        assert following["References"].split()[0] == mail["References"].split()[0]
        assert following["Subject"] == "Re: Nova Luna: your solo"
        mail = following
    assert world.loaded(post.session, solo.id).version == 3


def test_where_no_mail_is_taken_in_no_mail_says_that_it_can_be_answered(
    session: Session, context: WorkerContext
) -> None:
    post = Post(replace(context), session)
    world.match(session, world.account(session, "Ann"), world.account(session, "Ben"))
    post.run()
    (mail,) = post.sent
    assert mail["Reply-To"] is None and "Answer this mail" not in text_of(mail) and "##-" not in text_of(mail)


def test_bounds_of_an_account_hold_by_mail_too(post: Post, context: WorkerContext) -> None:
    taking = taking_mail(context)
    few = replace(taking.settings, limit_solos_per_account=1, limit_open_tables_per_account=1)
    bounded = Post(replace(taking, settings=few), post.session)
    bounded.write(SERVICE, "solo", ANN)
    (answer,) = bounded.write(SERVICE, "solo", ANN)
    assert "You can have at most 1 solos that are not over; end one first." in text_of(answer)
    bounded.write(SERVICE, "new 2", ANN)
    (answer,) = bounded.write(SERVICE, "new 2", ANN)
    assert "You can have at most 1 open tables;" in text_of(answer)


def test_clocks_2_1_a_new_table_has_the_clock_that_its_mail_names(post: Post) -> None:
    (answer,) = post.write(SERVICE, "new 2 players, 3 days a move, ben@example.org", ANN)
    assert newest(post).clock is not None and '"per_wait":"P3D"' in str(newest(post).clock)
    (invited,) = post.got("ben@example.org")
    for mail in (answer, invited):
        assert "Each player has 3 days for each turn." in " ".join(text_of(mail).split())


def test_clocks_2_1_a_clock_out_of_its_bounds_is_refused_by_mail(post: Post) -> None:
    before = post.session.scalar(text("SELECT count(*) FROM tables"))
    (answer,) = post.write(SERVICE, "new 2 players, 5 minutes a move, ben@example.org", ANN)
    assert "The least here is 1 hour" in text_of(answer)
    assert post.session.scalar(text("SELECT count(*) FROM tables")) == before


def test_clocks_2_1_a_strangers_table_has_the_clock_that_the_code_confirms(post: Post) -> None:
    post.write(SERVICE, "new 2 players, bank 5 days plus 1 day", CLEO)
    (code,) = post.got("cleo@example.org")
    assert "Each player has a supply of 5 days, and each turn adds 1 day, up to 7 days." in " ".join(
        text_of(code).split()
    )
    post.answer(code, "yes", CLEO)
    assert '"bank":"P5D"' in str(newest(post).clock)


def test_a_game_against_a_bot_begins_at_once(post: Post) -> None:
    (answer,) = post.write(SERVICE, "new 2 players, 1 bot", ANN)
    table = newest(post)
    game = world.loaded(post.session, table.id)
    assert game.status == "running" and [player.bot for player in game.players] == [None, "greedy"]
    assert lines_of(answer) == [f"“new 2, 1 bot”: You sit at the table {table.id}."]
    while game.status == "running" and game.state.turn == 0:
        post.answer(post.got("ann@example.org")[-1], "1 A", sender=ANN)
        game = world.loaded(post.session, table.id)
    assert game.status == "finished" or game.state.turn == 0
    subjects = {str(mail["Subject"]) for mail in post.got("ann@example.org")}
    assert "Your turn: Nova Luna with Greedy bot" in subjects and {mail["To"] for mail in post.sent} == {ANN}


def test_an_invitation_names_the_bots_at_the_table(post: Post) -> None:
    post.write(SERVICE, "new 4 players, 2 bots, cleo@example.org", ANN)
    (invited,) = post.got("cleo@example.org")
    assert "Ann, Greedy bot (player 3) and Greedy bot (player 4)" in text_of(invited)
    assert "3 of 4 seats are taken." in text_of(invited) and newest(post).visibility == "private"


@pytest.mark.parametrize(
    ("said", "refused"),
    [
        ("new 2 players, 2 bots", "One of the players has to be you"),
        ("new 3 players, 2 bots, cleo@example.org", "There are more addresses and bots than free seats"),
        ("new 5 players, 1 bot", "A game is for two to four"),
    ],
)
def test_bots_that_do_not_fit_are_refused(post: Post, said: str, refused: str) -> None:
    (answer,) = post.write(SERVICE, said, ANN)
    assert refused in text_of(answer)
    begun = Table.status.in_(("open", "running")), Table.created_at == NOW
    assert post.session.scalar(select(Table.key).where(*begun)) is None


def test_a_stranger_confirms_a_game_against_a_bot(post: Post) -> None:
    post.write(SERVICE, "new 2 players, 1 bot, 3 days a move", CLEO)
    (asked,) = post.got("cleo@example.org")
    post.answer(asked, "yes", sender=CLEO)
    game = world.loaded(post.session, newest(post).id)
    assert game.status == "running" and game.is_bots(1) and game.terms is not None


def test_a_confirmed_game_has_the_ladder_that_was_asked_for(post: Post) -> None:
    said = "new 3 players, 1 bot, 3 days a move, nudge 6 hours, no grace, then out, no absences"
    post.write(SERVICE, said, CLEO)
    (asked,) = post.got("cleo@example.org")
    told = text_of(asked)
    assert "That opens a table for 3 players, at which others can sit down. One of them is a bot." in told
    assert "they have 6 hours more. In the end they are out of the game." in told and "grace" not in told
    post.answer(asked, "yes", sender=CLEO)
    terms = world.loaded(post.session, newest(post).id).terms
    assert terms == Terms(PerWait(3 * DAY), Ladder(DAY / 4, None, "out"), quiet=True, absences=False)


@pytest.mark.parametrize(("bots", "told"), [(1, "a game against a bot."), (3, "a game against 3 bots.")])
def test_a_code_says_that_it_begins_a_game_against_bots(post: Post, bots: int, told: str) -> None:
    post.write(SERVICE, f"new, {bots} bots", CLEO)
    (asked,) = post.got("cleo@example.org")
    assert told in text_of(asked)


def read_by_0_2_0(asked: list[list[Any]]) -> list[Command]:
    """Return the commands that release 0.2.0 reads from what is stored with a code, by its own words."""
    commands: list[Command] = []
    for each in asked:
        match each:
            case ["new", seats, addresses]:
                commands.append(New(seats, tuple(addresses)))
            case ["join", code]:
                commands.append(Join(code))
            case _:
                commands.append(Solo())
    return commands


def test_the_previous_release_can_carry_out_what_waits_for_a_code(post: Post) -> None:
    given = New(2, (), WrittenClock(per_wait=DAY), 1, WrittenLadder(then="out"))
    stored = to_json([given])
    assert from_json(stored) == [given]
    first, *others = read_by_0_2_0(stored)
    assert first == New(2, ())  # it opens the table, without a clock or a bot
    assert others and set(others) == {Solo()}  # and leaves out what follows, as a mail begins one thing
