"""Replies by mail: what each line does, and what is mailed back, from the queue to the Maildir."""

from base64 import b64encode
from html import unescape

import pytest
from sqlalchemy import text, update
from sqlalchemy.orm import Session

from engine.moves import RESIGN
from service.commands import accounts
from service.commands.play import play
from service.jobs.worker_context import WorkerContext
from service.store import delivery_preferences, talk
from service.store.accounts import Account
from service.store.talk import Note
from tests.support import world
from tests.support.clock import NOW, Clock
from tests.support.mail.text import text_of
from tests.support.world import KEYS
from tests.unit.jobs.matches import Match
from tests.unit.jobs.writing import Post, lines_of, taking_mail


@pytest.fixture
def post(session: Session, context: WorkerContext) -> Post:
    return Post(taking_mail(context), session)


@pytest.fixture
def match(post: Post) -> Match:
    return Match(post)


def test_a_turn_mail_is_answered_and_the_move_is_made(match: Match, post: Post) -> None:
    second = match.table.state.wheel.choices()[1]
    (answer,) = post.answer(match.mail, "choice 2 A\n\nBye, Ann\n")
    assert match.moves() == [f"{second}@0,0"]
    assert f"You placed tile {second} (" in text_of(answer)


def test_all_commands_below_an_unmarked_quote_are_carried_out(match: Match, post: Post) -> None:
    head = f"From: Nova Luna <{match.mail['Reply-To']}>\nSent: Saturday\nTo: Ann\nSubject: {match.mail['Subject']}\n\n"
    first, quote = match.table.state.wheel.choices()[0], f"{head}{text_of(match.mail)}\n"
    post.answer(match.mail, f"{quote}choice 1 A\n\nsay hello all\n\nAnn\n")
    assert match.moves() == [f"{first}@0,0"]
    assert [row.text for row in post.session.query(talk.Message.text).all()] == ["hello all"]


def test_commands_below_a_quote_without_its_end_are_asked_about(match: Match, post: Post) -> None:
    quote = text_of(match.mail).rpartition("NO MORE MAILS")[0]
    (answer,) = post.answer(match.mail, f"{quote}\n\nchoice 1 A\n\nsay hello all\n")
    assert match.moves() == []
    assert "choice 1 A" in text_of(answer) and "say hello all" in text_of(answer)


def test_the_answer_is_in_the_thread_and_says_that_a_program_wrote_it(match: Match, post: Post) -> None:
    id = post.put(
        str(match.mail["Reply-To"]), "choice 1 A", match.player, about=match.mail, Message_ID="<my.own@example.net>"
    )
    post.run()
    answer = post.got(match.address)[-1]
    assert str(answer["Message-ID"]).startswith(f"<answer.{id}.sender.")
    assert answer["In-Reply-To"] == "<my.own@example.net>" and answer["Auto-Submitted"] == "auto-replied"
    assert str(answer["References"]).split() == [
        str(match.mail["References"]), str(match.mail["Message-ID"]), "<my.own@example.net>"
    ]  # fmt: skip
    assert answer["Subject"] == f"Re: {match.mail['Subject']}"


def test_what_hides_in_the_headers_of_a_mail_is_not_in_the_answer(match: Match, post: Post) -> None:
    hidden = "=?utf-8?b?" + b64encode(b"\r\nBcc: x@example.net\r\n\r\n<h1>Pay!</h1>").decode() + "?="
    wrapped = "=?utf-8?b?" + b64encode(hidden.encode()).decode() + "?="
    to, id = str(match.mail["Reply-To"]), f"<{hidden}@example.net>"
    raw = (
        f"From: {match.player}\r\nTo: {to}\r\nSubject: {wrapped}\r\nMessage-ID: {id}\r\nReferences: {id}\r\n\r\n"
        "choice 1 A\r\n"
    )
    post.put_raw(to, raw.encode(), match.address)
    post.run()
    answer = post.got(match.address)[-1]
    assert str(answer["Message-ID"]).startswith("<answer.") and "You placed tile " in text_of(answer)
    assert answer["Bcc"] is None and answer["References"] == match.mail["References"]
    assert "Pay!" not in answer.as_string() and not answer.defects


def test_the_next_player_is_mailed_by_the_same_transaction(match: Match, post: Post) -> None:
    post.answer(match.mail, "choice 1 A")
    assert match.table.state.turn != match.seat
    (theirs,) = post.got(match.other_address)
    assert str(theirs["Subject"]).startswith("Your turn: ")


def own_turns(post: Post) -> tuple[Match, int]:
    """Return a match whose mailed player may take the first tile twice or more, and how often."""
    match = Match(post)
    while (turns := match.turns_in_a_row()) < 2 or len(match.table.state.wheel.ring) < 6:
        match.move()
    post.run()
    match.change_sides()
    return match, turns


def test_the_reply_shows_the_table_if_the_same_player_is_to_move(post: Post) -> None:
    match, _ = own_turns(post)
    mail, before = match.mail, len(match.moves())
    (answer,) = post.answer(mail, "choice 1 A")
    assert match.table.state.turn == match.seat
    assert "It is your turn again." in text_of(answer) and "YOUR CHOICES" in text_of(answer)
    assert answer["Reply-To"] != mail["Reply-To"]
    (following,) = post.answer(answer, "choice 1 A")
    assert len(match.moves()) == before + 2 and "You placed " in text_of(following)


def test_lines_are_played_until_one_does_not_fit_and_the_rest_reported(post: Post) -> None:
    match, turns = own_turns(post)
    before = len(match.moves())
    (answer,) = post.answer(match.mail, "choice 1 A\n" * (turns + 2))
    told = lines_of(answer)
    assert len(match.moves()) == before + turns and len(told) == turns + 2
    assert all(line.startswith("“choice 1 A”: You placed tile ") for line in told[:turns])
    assert told[turns] == "“choice 1 A”: It is not your turn now."
    assert "left out" in told[turns + 1]


def test_a_later_line_with_two_meanings_is_asked_back(post: Post) -> None:
    match, _ = own_turns(post)
    before, then = len(match.moves()), match.table.state.wheel.choices()
    (answer,) = post.answer(match.mail, "choice 1 A\nchoice 2 B\n")
    now = match.table.state.wheel.choices()
    assert len(match.moves()) == before + 1
    told = lines_of(answer)[1]
    assert told.startswith("“choice 2 B”: After the move before it this means another tile or cell than in the mail")
    x, y = match.cells()["B"]
    assert then[1] != now[1] and f"“{now[1]}@{x},{y}”" in told and f"“{then[1]}@{x},{y}”" in told


def test_what_does_not_fit_changes_nothing_and_is_answered_with_the_table(match: Match, post: Post) -> None:
    for said in ("choice 9 A", "choice 1 ZZ", "maybe 2 F or 3 F?", "17@90,90", "refill", "yes"):
        (answer,) = post.answer(match.mail, said)
        assert match.moves() == []
        assert "YOUR CHOICES" in text_of(answer) and answer["Reply-To"] is not None
    (again,) = post.answer(answer, "choice 1 A")
    assert len(match.moves()) == 1 and "You placed tile " in text_of(again)


def test_no_move_is_suggested_that_the_table_has_not(match: Match, post: Post) -> None:
    (answer,) = post.answer(match.mail, "1 A o 2 ZZ")
    assert "If you meant “1 A”, write that." in " ".join(text_of(answer).split())
    (answer,) = post.answer(answer, "1 ZZ o 2 ZZ")
    assert "it is not clear what that means" in " ".join(text_of(answer).split()) and match.moves() == []


def test_a_reply_that_asks_for_nothing_is_told_what_can_be_written(match: Match, post: Post) -> None:
    for said, why in (("", "Your mail was empty"), ("Hello, how are you?", "There is no line in your mail that says")):
        (answer,) = post.answer(match.mail, said)
        assert why in text_of(answer) and "WHAT YOU CAN WRITE" in text_of(answer) and "YOUR CHOICES" in text_of(answer)


def test_a_command_in_the_subject_is_told_not_to_be_read(match: Match, post: Post) -> None:
    (answer,) = post.answer(match.mail, "Sent from my iPhone", subject="1 A")
    assert match.moves() == [] and "The subject of your mail isn’t read" in text_of(answer)


def test_two_answers_to_one_mail_play_once_and_the_other_is_told_why_not(match: Match, post: Post) -> None:
    for _ in range(2):
        post.put(str(match.mail["Reply-To"]), "choice 1 A", match.player, about=match.mail)
    post.run()
    assert len(match.moves()) == 1
    told = sorted(line for mail in post.got(match.address)[1:] for line in lines_of(mail))
    assert len(told) == 2 and "You have moved since the mail that you answered" in told[0] and "You placed" in told[1]


def test_an_answer_after_a_move_over_http_is_told_so(match: Match, post: Post) -> None:
    match.move()
    (answer,) = post.answer(match.mail, "choice 2 A")
    assert len(match.moves()) == 1
    assert "You have moved since" in lines_of(answer)[0]
    assert f"{match.names[1 - match.seat]} is next." in text_of(answer)


def test_a_leaving_of_somebody_else_meanwhile_does_no_harm(post: Post) -> None:
    three = [world.account(post.session, name) for name in ("Ann", "Ben", "Cleo")]
    game = world.match(post.session, *three)
    post.run()
    table = world.loaded(post.session, game)
    seat, gone = world.moon(table).order[0], world.moon(table).order[-1]
    address = ("ann", "ben", "cleo")[seat] + "@example.org"
    play(post.session, table, gone, RESIGN, None, NOW)
    post.session.commit()
    (answer,) = post.answer(post.got(address)[0], "choice 1 A")
    assert [entry.seat for entry in world.loaded(post.session, game).entries] == [gone, seat]
    assert "You placed tile " in text_of(answer)


def test_resigning_is_asked_back_once_and_then_done(match: Match, post: Post) -> None:
    (asked,) = post.answer(match.mail, "resign")
    assert match.moves() == [] and lines_of(asked)[0].startswith("“resign”: Do you really want to leave the game?")
    (done,) = post.answer(asked, "Yes.")
    assert match.moves() == ["resign"] and match.table.status == "finished"
    assert "You left the game." in text_of(done)
    (late,) = post.answer(asked, "yes")
    assert match.moves() == ["resign"] and "The game is over; no move can follow." in text_of(late)


@pytest.mark.parametrize(
    "said", ["Ja, ich bin mir sicher. Viel Spaß euch noch!", "Oui, sûre et certaine", "Sí, confirmo"]
)
def test_resigning_is_confirmed_in_words_that_add_nothing(match: Match, post: Post, said: str) -> None:
    (asked,) = post.answer(match.mail, "resign")
    post.answer(asked, said)
    assert match.moves() == ["resign"]


@pytest.mark.parametrize(
    "said",
    [
        "Yes, tomorrow",
        "Yes, but after this round",
        "Sure, why not",
        "Let's play!",
        "Yes, I'd love to play",
        "Ja, bin dabei",
        "Gern!",
    ],
)
def test_resigning_needs_a_yes_that_nothing_limits(match: Match, post: Post, said: str) -> None:
    (asked,) = post.answer(match.mail, "resign")
    post.answer(asked, said)
    assert match.moves() == []


def test_a_mail_that_asked_about_leaving_can_be_answered_with_a_move(match: Match, post: Post) -> None:
    (asked,) = post.answer(match.mail, "resign")
    post.answer(asked, "choice 1 A")
    assert len(match.moves()) == 1 and match.table.status == "running"


def test_agreeing_to_nothing_does_nothing(match: Match, post: Post) -> None:
    (answer,) = post.answer(match.mail, "yes")
    assert match.moves() == [] and "That mail did not ask anything that you could say yes to." in text_of(answer)


def test_what_is_said_and_noted_is_kept_beside_a_move(match: Match, post: Post) -> None:
    (answer,) = post.answer(match.mail, "say Good luck!\n\nnote he likes red\n\nchoice 1 A\n")
    said = post.session.query(talk.Message.text).all()
    assert [row.text for row in said] == ["Good luck!"]
    assert [row.text for row in post.session.query(Note).all()] == ["he likes red"]
    assert len(match.moves()) == 1 and len(lines_of(answer)) == 3
    (theirs,) = post.got(match.other_address)
    assert "Good luck!" in text_of(theirs)


def test_a_note_is_for_oneself(match: Match, post: Post) -> None:
    post.answer(match.mail, "note he likes red")
    (kept,) = post.session.query(Note).all()
    assert kept.text == "he likes red" and kept.account == match.accounts[match.seat]


def test_stop_ends_the_mails_of_this_game_and_answers_go_on(match: Match, post: Post) -> None:
    (answer,) = post.answer(match.mail, "stop")
    assert "You get no more mails of this game" in text_of(answer)
    assert f"/games/{match.table.table.id}/mails takes it back" in " ".join(text_of(answer).split())
    assert delivery_preferences.of_game(post.session, match.accounts[match.seat], match.table.table.key) == "off"
    (played,) = post.answer(answer, "choice 1 A")
    assert "You placed tile " in text_of(played)
    match.move()
    match.move()
    post.run()
    assert [str(mail["Subject"])[:3] for mail in post.got(match.address)[1:]] == ["Re:", "Re:"]


def test_history_tells_all_that_happened(match: Match, post: Post) -> None:
    for _ in range(5):
        match.move()
    (answer,) = post.answer(match.mail, "history")
    told = text_of(answer).split("WHAT HAPPENED SO FAR\n")[1].split("\n\n")[0].splitlines()
    assert len(told) == 5 and all(" placed tile " in line and "27 November 2026" in line for line in told)


def test_help_explains_in_the_words_of_the_readers_language(match: Match, post: Post) -> None:
    post.session.execute(update(Account).values(language="de"))
    (answer,) = post.answer(match.mail, "hilfe")
    assert "- „auffüllen“: " in text_of(answer) and "Es ist" not in str(answer["Subject"])
    (played,) = post.answer(match.mail, "choice 1 A")
    assert "Du hast Plättchen " in text_of(played)


def test_a_game_that_is_over_says_how_it_ended(post: Post) -> None:
    match = Match(post, goal_discs=5)
    world.play_out(post.session, match.id)
    post.run()
    end = post.got(match.address)[-1]
    assert end["Reply-To"] is not None and str(end["Message-ID"]).startswith("<end.")
    (answer,) = post.answer(end, "choice 1 A")
    assert "The game is over; no move can follow." in text_of(answer) and "THE RANKING" in text_of(answer)
    (told,) = post.answer(end, "history")
    assert "WHAT HAPPENED SO FAR" in text_of(told)


def test_whoever_has_left_is_told_so(post: Post) -> None:
    three = [world.account(post.session, name) for name in ("Ann", "Ben", "Cleo")]
    game = world.match(post.session, *three)
    post.run()
    table = world.loaded(post.session, game)
    seat = world.moon(table).order[0]
    address = ("ann", "ben", "cleo")[seat] + "@example.org"
    play(post.session, table, seat, RESIGN, None, NOW)
    (answer,) = post.answer(post.got(address)[0], "choice 1 A")
    assert "You have left this game." in lines_of(answer)[0]


def test_an_erased_accounts_secret_does_nothing_and_is_not_answered(match: Match, post: Post) -> None:
    accounts.delete_account(post.session, KEYS, match.accounts[match.seat], NOW)
    post.run()
    assert post.answer(match.mail, "choice 1 A", sender=match.player) == []
    assert match.moves() == ["resign"]


def test_whose_mail_comes_back_is_still_answered_where_they_wrote_from(match: Match, post: Post) -> None:
    post.session.execute(update(Account).values(mail_stopped_at=NOW, mail_stopped_because="5.1.1"))
    (answer,) = post.answer(match.mail, "choice 1 A")
    assert "You placed tile " in text_of(answer)


@pytest.mark.parametrize("subject", ["\u3164", "Re: \u2800", "\u200b\u115f"])
def test_a_subject_of_which_nothing_is_seen_is_not_repeated(match: Match, post: Post, subject: str) -> None:
    (answer,) = post.answer(match.mail, "help", subject=subject)
    assert answer["Subject"] == "Your mail to Nova Luna by post"


@pytest.mark.parametrize("said", ["choice 1 A", "help", "what is this?", "yes", "note red ones"])
def test_whose_mail_is_stopped_is_told_so_and_how_it_goes_on(match: Match, post: Post, said: str) -> None:
    (before,) = post.answer(match.mail, "help")
    assert "came back several times" not in text_of(before)
    post.session.execute(update(Account).values(mail_stopped_at=NOW, mail_stopped_because="5.1.1"))
    (answer,) = post.answer(match.mail, said)
    for kind in ("plain", "html"):
        part = answer.get_body((kind,))
        assert part is not None
        told = " ".join(unescape(part.get_content()).split())
        assert "came back several times, the last on 27 November 2026 (5.1.1)" in told
        assert "sign in with one, or answer its mail with “yes”" in told


def test_what_a_program_wrote_is_put_down(match: Match, post: Post) -> None:
    for headers in (
        {"Auto_Submitted": "auto-replied"},
        {"Precedence": "bulk"},
        {"X_Autoreply": "yes"},
        {"Message_ID": "<turn.G.1.A@example.org>"},
    ):
        assert post.answer(match.mail, "choice 1 A", **headers) == [] and match.moves() == []


def test_outlooks_header_is_peoples_mail(match: Match, post: Post) -> None:
    (answer,) = post.answer(match.mail, "choice 1 A", X_Auto_Response_Suppress="All")
    assert len(match.moves()) == 1 and "You placed" in text_of(answer)


@pytest.mark.parametrize("said", ["help", "note he likes red", "stop"])
def test_answers_above_the_hourly_limit_are_not_mailed(match: Match, post: Post, clock: Clock, said: str) -> None:
    few = Post(taking_mail(post.context, limit_answers_per_address=3), post.session)
    assert [len(few.answer(match.mail, said)) for _ in range(5)] == [1, 1, 1, 0, 0]
    assert few.answer(match.mail, "choice 1 A") == [] and len(match.moves()) == 1
    clock.now = world.later(hours=1)
    assert len(few.answer(match.mail, said)) == 1


def test_the_mail_is_forgotten_once_it_was_answered(match: Match, post: Post) -> None:
    post.answer(match.mail, "choice 1 A", sender="Ann <ann@work.example>")
    kept = post.session.execute(text("SELECT state, raw, outcome, sender FROM incoming")).all()
    assert kept == [("answered", None, None, None)]
