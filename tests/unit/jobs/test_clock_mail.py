"""Mails about clocks: the line in turn mails, steps of the ladder, and reminders."""

import pytest
from sqlalchemy.orm import Session

from engine import audit
from service.commands import notifications
from service.jobs.worker_context import WorkerContext
from service.queries import records
from tests.support.clock import Clock
from tests.support.mail.text import text_of
from tests.unit.jobs.timed import TimedMatch
from tests.unit.jobs.writing import Post, taking_mail


@pytest.fixture
def post(session: Session, context: WorkerContext) -> Post:
    return Post(taking_mail(context), session)


@pytest.fixture
def match(post: Post, clock: Clock) -> TimedMatch:
    return TimedMatch(post, clock, "Ann", "Ben", "Cleo")


def words(text: str) -> str:
    return " ".join(text.split())


def kind(mail: object) -> str:
    return str(mail["Message-ID"]).lstrip("<").split(".")[0]  # type: ignore[index]


def test_clocks_10_2_a_turn_mail_says_how_much_time_is_left(match: TimedMatch) -> None:
    told = text_of(match.last(match.mover))
    assert "THE CLOCK\n3 days left, until Monday 20:56 UTC." in told
    assert told.index("YOUR MOVE") < told.index("THE CLOCK") < told.index("YOUR CHOICES")


def test_clocks_4_5_a_turn_mail_says_who_will_be_away(match: TimedMatch) -> None:
    seat, mover = match.seat, match.mover
    name = match.names[seat]
    match.post.answer(match.last(mover), "away until 5 December", mover)
    while match.seat == seat:
        match.post.answer(match.last(mover), "1 A", mover)
    told = words(text_of(match.last(match.mover)))
    assert f"{name} is away from Saturday 08:56 UTC until Sunday, 6 December 2026, 00:00 UTC." in told


def test_clocks_6_3_a_step_is_mailed_to_the_table_and_names_the_next_one(match: TimedMatch) -> None:
    before = len(match.post.sent)
    match.go_on(days=3)
    mails = match.post.sent[before:]
    steps = {str(mail["To"]).split("<")[-1].rstrip(">"): mail for mail in mails if kind(mail) == "step"}
    assert set(steps) == {match.mover, *match.others}
    own = words(text_of(steps[match.mover]))
    assert "Your time is up. If you have not moved by Tuesday 20:56 UTC, a last grace period begins." in own
    assert "YOUR CHOICES" in own
    name = match.names[match.seat]
    other = text_of(steps[match.others[0]])
    assert f"The time of {name} is up. If {name} has not moved by Tuesday 21:00 UTC" in words(other)
    assert "more time 2 days" in other and "YOUR CHOICES" not in other


def test_clocks_6_3_a_step_mail_is_answered_with_a_move(match: TimedMatch) -> None:
    match.go_on(days=3)
    seat, mover = match.seat, match.mover
    assert "+play-" in match.last(mover)["Reply-To"], "a yes to it does not resign"
    match.post.answer(match.last(mover), "1 A", mover)
    assert match.table.entries[-1].seat == seat and "@" in match.table.entries[-1].move


def test_clocks_6_5_the_one_on_autopilot_is_told_how_to_come_back(match: TimedMatch) -> None:
    seat, mover = match.seat, match.mover
    for days in (3, 1, 2):
        match.go_on(days=days)
    assert match.kinds()[:3] == ["clock.nudge", "clock.grace", "clock.autopilot"]
    mail = match.last(mover)
    assert mail["Subject"].startswith("A bot plays for you") and "answer: “back”" in text_of(mail)
    (answer,) = match.post.answer(mail, "back", mover)
    assert "You play yourself again, not the bot: with" in words(text_of(answer))
    assert match.table.clock is not None and seat not in match.table.clock.autopilot


def test_clocks_6_6_a_move_for_a_turn_that_the_bot_has_played_is_refused(match: TimedMatch) -> None:
    mover = match.mover
    mail = match.last(mover)
    for days in (3, 1, 2):
        match.go_on(days=days)
    assert match.mover != mover
    (answer,) = match.post.answer(mail, "1 A", mover)
    assert "A bot has moved for you since the mail that you answered. To play yourself again, write “back”." in words(
        text_of(answer)
    )
    told = words(text_of(match.last(match.mover)))
    assert "A bot made this move." in told


def test_clocks_9_1_a_game_without_a_clock_is_warned_and_kept_by_mail(post: Post, clock: Clock) -> None:
    match = TimedMatch(post, clock, "Ann", "Ben", terms=None)
    match.go_on(days=76)
    for address in (match.mover, *match.others):
        mail = match.last(address)
        assert kind(mail) == "step" and str(mail["Subject"]).startswith("This game will end soon")
        assert "To keep the game going, answer: “keep”" in text_of(mail)
    (answer,) = match.post.answer(match.last(match.others[0]), "keep", match.others[0])
    assert "The game goes on." in text_of(answer)
    match.go_on(days=15)
    assert match.table.status == "running"


def test_clocks_5_1_reminders_come_when_half_is_gone_and_before_the_end(match: TimedMatch) -> None:
    mover = match.mover
    came = []
    for hour in range(1, 72):
        before = len(match.post.got(mover))
        match.go_on(hours=1)
        if new := match.post.got(mover)[before:]:
            came.append((hour, new[0]))
    assert [(hours, kind(mail)) for hours, mail in came] == [(36, "reminder"), (48, "reminder"), (69, "reminder")]
    told = words(text_of(came[1][1]))
    assert "It is still your turn" in told and "1 day left, until Monday 20:56 UTC." in told


def test_clocks_5_2_a_reminder_is_answered_with_a_move(match: TimedMatch) -> None:
    seat, mover = match.seat, match.mover
    match.go_on(hours=36)
    assert kind(match.last(mover)) == "reminder"
    assert "+play-" in match.last(mover)["Reply-To"], "a yes to it does not resign"
    match.post.answer(match.last(mover), "1 A", mover)
    assert match.table.entries[-1].seat == seat


def test_clocks_5_2_a_reminder_whose_stretch_is_over_is_not_sent(match: TimedMatch) -> None:
    mover = match.mover
    match.clock.advance(hours=36)
    mail = match.last(mover)
    match.post.answer(mail, "1 A", mover)
    match.go_on()
    assert "reminder" not in {kind(mail) for mail in match.post.got(mover)}


def test_clocks_5_3_reminders_of_several_games_come_in_one_mail(match: TimedMatch) -> None:
    others = [TimedMatch(match.post, match.clock, "Ann", "Ben", "Cleo") for _ in range(4)]
    games = [match, *others]
    mover = next(each for each in games if sum(each.mover == game.mover for game in games) > 1).mover
    count = sum(game.mover == mover for game in games)
    match.go_on(hours=36)
    reminders = [mail for mail in match.post.got(mover) if kind(mail) == "reminder"]
    assert len(reminders) == 1
    told = text_of(reminders[0])
    assert told.count("To be shown the table and to move, write to") == count - 1
    assert told.count("1 day 12 hours left") == count


def test_clocks_5_1_reminders_can_be_turned_off(match: TimedMatch) -> None:
    seat, mover = match.seat, match.mover
    notifications.change(match.post.session, match.accounts[seat], {"reminder": "off"}, match.clock.now)
    match.go_on(hours=36)
    assert "reminder" not in {kind(mail) for mail in match.post.got(mover)}


def test_clocks_5_1_reminders_wait_for_the_digest_if_so_chosen(match: TimedMatch) -> None:
    seat, mover = match.seat, match.mover
    session = match.post.session
    notifications.change(session, match.accounts[seat], {"reminder": "digest"}, match.clock.now)
    match.go_on(hours=36)
    assert "reminder" not in {kind(mail) for mail in match.post.got(mover)}
    match.go_on(hours=24)
    notifications.queue_due_digests(session, match.clock.now, 10)
    match.post.run()
    digest = match.last(mover)
    assert kind(digest) == "digest" and "12 hours left, until Monday 20:56 UTC." in words(text_of(digest))
    assert "+play-" in text_of(digest) and "+leave-" not in text_of(digest), "a yes to it does not resign"


def test_clocks_6_5_mails_say_which_moves_a_bot_made(match: TimedMatch) -> None:
    seat, mover = match.seat, match.mover
    for days in (3, 1, 2):
        match.go_on(days=days)
    assert [entry.by for entry in match.table.entries if entry.seat == seat][-1] == "bot:greedy"
    told = words(text_of(match.last(match.mover)))
    assert f"{match.names[seat]} did not move, so a bot took over the seat." in told
    assert f"{match.names[seat]} placed tile" in told and "A bot made this move." in told
    (history,) = match.post.answer(match.last(mover), "history", mover)
    assert "You placed tile" in words(text_of(history)) and "A bot made this move." in words(text_of(history))
    audit.check(records.line(match.post.session, match.table))
