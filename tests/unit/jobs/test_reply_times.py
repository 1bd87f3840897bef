"""Absences, quiet times, more time and reminders by mail, and what the answers say."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy.orm import Session

from engine.clock.terms import DEFAULT_LADDER, PerWait, Terms
from service.commands import accounts
from service.jobs.worker_context import WorkerContext
from service.store import delivery_preferences
from service.store.accounts import Account
from tests.support.clock import Clock
from tests.support.mail.text import text_of
from tests.unit.jobs.timed import TimedMatch
from tests.unit.jobs.writing import SERVICE, Post, lines_of, taking_mail

DAY = timedelta(days=1)


@pytest.fixture
def post(session: Session, context: WorkerContext) -> Post:
    return Post(taking_mail(context), session)


@pytest.fixture
def match(post: Post, clock: Clock) -> TimedMatch:
    """Return a match that began on Friday, 27 November 2026, at 20:56."""
    return TimedMatch(post, clock, "Ann", "Ben", "Cleo")


def told(match: TimedMatch, said: str, seat: int | None = None) -> str:
    """Return the text of the answer to these words."""
    address = match.address(match.seat if seat is None else seat)
    mails = match.post.got(address)
    if mails:
        (answer,) = match.post.answer(mails[-1], said, address)
    else:
        (answer,) = match.post.write(SERVICE, said, address)
    return " ".join(text_of(answer).split())


def account(match: TimedMatch, seat: int) -> Account:
    match.post.session.expire_all()
    return match.post.session.get_one(Account, match.accounts[seat])


def test_clocks_4_1_an_absence_lasts_until_the_end_of_its_last_day(match: TimedMatch) -> None:
    seat = match.seat
    answer = told(match, "away until 5 December")
    assert "You are away from 28 November 2026, 08:56 UTC until the end of 5 December 2026" in answer
    assert account(match, seat).absences == [
        ["2026-11-27T20:56:00.123Z", "2026-11-28T08:56:00.123Z", "2026-12-06T00:00:00.000Z"]
    ]
    assert "Your clock stands still" not in answer  # it counts from 12 hours later
    match.go_on(hours=13)
    assert "stands still until Sunday, 6 December 2026, 00:00 UTC (absence)" in told(match, "status", seat)


@pytest.mark.parametrize("said", ["away until 20 December", "away 29 November to 20 December"])
def test_clocks_4_3_a_later_last_day_prolongs_an_absence(match: TimedMatch, said: str) -> None:
    seat = match.seat
    told(match, "away until 5 December")
    assert "You are away from 28 November 2026, 08:56 UTC until the end of 20 December 2026" in told(match, said, seat)
    held = account(match, seat).absences or []
    assert [each[2] for each in held] == ["2026-12-06T00:00:00.000Z", "2026-12-21T00:00:00.000Z"]
    assert held[0][2] == held[1][1], "the second begins where the first ends"


@pytest.mark.parametrize("said", ["away until 3 December", "away 1 to 4 December"])
def test_clocks_4_1_an_answer_says_how_an_absence_is_changed(match: TimedMatch, said: str) -> None:
    seat = match.seat
    told(match, "away until 5 December")
    answer = told(match, said, seat)
    assert "It overlaps another absence of yours. To change that one, write “back” first" in answer
    assert "until the end of" in told(match, f"back\n{said}", seat)


def test_clocks_4_1_days_are_those_of_the_accounts_zone(match: TimedMatch) -> None:
    seat = match.seat
    accounts.change(match.post.session, match.accounts[seat], {"language": "de"}, match.clock.now)
    account(match, seat).zone = "Europe/Berlin"
    match.post.session.commit()
    answer = told(match, "abwesend vom 1. bis 5. Dezember")
    assert "bis zum Ende des 5. Dezember 2026" in answer and "„abwesend vom 1. bis 5. Dezember“" in answer
    (absence,) = account(match, seat).absences or []
    assert absence[1:] == ["2026-11-30T23:00:00.000Z", "2026-12-05T23:00:00.000Z"]


@pytest.mark.parametrize(
    "said",
    [
        "away from Saturday to Tuesday",
        "away from Saturday 5 December to Tuesday",
        "weg von Samstag bis Dienstag",
        "absent de samedi à mardi",
        "ausente de sábado a martes",
    ],
)
def test_clocks_4_1_weekdays_are_the_next_ones(match: TimedMatch, said: str) -> None:
    seat = match.seat
    match.go_on(days=2)  # Sunday
    told(match, said)
    (absence,) = account(match, seat).absences or []
    assert absence[1:] == ["2026-12-05T00:00:00.000Z", "2026-12-09T00:00:00.000Z"]


def test_clocks_4_2_an_absence_that_begins_too_soon_is_moved(match: TimedMatch) -> None:
    answer = told(match, "away from tomorrow to 2 December")
    assert "from 28 November 2026, 08:56 UTC" in answer and "12 hours after it was announced" in answer


@pytest.mark.parametrize("hour", [6, 20])
@pytest.mark.parametrize("said", ["away for 3 weeks", "away for 21 days", "away for 1 day"])
def test_clocks_4_3_away_for_some_days_counts_from_its_beginning(match: TimedMatch, said: str, hour: int) -> None:
    seat = match.seat
    match.go_on(hours=hour)
    answer = told(match, said)
    (absence,) = account(match, seat).absences or []
    begins, ends = (datetime.fromisoformat(each) for each in absence[1:])
    assert ends - begins == (1 if said.endswith("1 day") else 21) * DAY
    assert f"until {ends:%-d %B %Y, %H:%M} UTC" in answer


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("away until 5 January", "21 days at most"),
        ("away until today", "24 hours at least"),
        ("away from 20 November to 5 December", "cannot begin in the past"),
        ("away until 5/12", "If you meant “away until 5 December” or “away until 12 May”, write that."),
        ("away until Monday 5 December", "There is no such day."),
        ("away next week", "Write “away until 5 December”, for example."),
        ("away", "Write “away until 5 December”, for example."),
        ("more time", "Write “more time 2 days”, for example."),
        ("more time 1.5 days", "Write “more time 2 days”, for example."),
        ("new 2 players, -3 days a move", "Write “new 2, 3 days a move”, for example."),
        ("new 2 players, 3 days a move, no nudge", "There is always a nudge, of an hour at least."),
        ("quiet", "Write “quiet 22:00 to 07:00”, for example."),
        ("quiet 10 to 7", "If you meant “quiet 22:00 to 07:00” or “quiet 10:00 to 07:00”, write that."),
        ("quiet 22:10 to 07:00", "quarters of an hour"),
        ("quiet 00:00 to 24:00", "112"),
        ("back", "You are not away"),
        ("reminders 30 minutes", "The least here is 1 hour, the most 14 days."),
    ],
)
def test_what_is_wrong_is_said_with_what_would_be_right(match: TimedMatch, said: str, why: str) -> None:
    assert why in told(match, said)


def test_clocks_4_5_back_ends_an_absence(match: TimedMatch) -> None:
    seat = match.seat
    told(match, "away until 5 December")
    match.go_on(hours=13)
    assert "Your absence is over" in told(match, "back", seat)
    (absence,) = account(match, seat).absences or []
    assert absence[2] == "2026-11-28T09:56:00.123Z"


def test_clocks_4_7_the_answer_names_games_where_it_does_not_count(post: Post, clock: Clock) -> None:
    terms = Terms(PerWait(3 * DAY), DEFAULT_LADDER, absences=False)
    match = TimedMatch(post, clock, "Ann", "Ben", terms=terms)
    name = match.names[1 - match.seat]
    assert f"It does not count where your time was up or the table says so: with {name}." in told(
        match, "away until 5 December"
    )


def test_clocks_3_4_quiet_times_count_from_the_next_turn_on(match: TimedMatch) -> None:
    seat = match.seat
    answer = told(match, "quiet 22:00 to 07:00")
    assert "They are in UTC; to choose your time zone, answer “settings”." in answer
    assert "they count from your next turn on: with" in answer
    assert (account(match, seat).quiet or [{}])[0] | {"days": None} == {"days": None, "from": "22:00", "to": "07:00"}
    assert "UTC" not in told(match, "quiet off", seat).partition("Your quiet times are changed.")[2][:30]
    assert not account(match, seat).quiet
    account(match, seat).zone = "Europe/Berlin"
    match.post.session.commit()
    assert "They are in your time zone, Europe/Berlin." in told(match, "quiet 22:00 to 07:00", seat)


def test_clocks_3_6_a_table_without_quiet_times_waits_for_none(post: Post, clock: Clock) -> None:
    match = TimedMatch(post, clock, "Ann", "Ben", terms=Terms(PerWait(3 * DAY), DEFAULT_LADDER, quiet=False))
    answer = told(match, "quiet 22:00 to 07:00")
    assert "quiet times are changed" in answer and "they count from your next turn on" not in answer


def test_clocks_5_1_reminders_are_chosen_by_mail(match: TimedMatch) -> None:
    seat = match.seat
    assert "You are reminded at these times" in told(match, "reminders half, 2 days")
    points = delivery_preferences.reminder_points(match.post.session, match.accounts[seat])
    assert [which for which, _ in points] == ["half", "P2D"]
    assert "You get no reminders from now on." in told(match, "reminders off", seat)


def test_clocks_7_5_more_time_is_given_once_all_others_have_said_so(match: TimedMatch) -> None:
    match.go_on(days=3)
    first, second = (seat for seat in range(3) if seat != match.seat)
    assert "The time is given once all the others have said so too" in told(match, "more time 3 days", first)
    assert match.kinds() == ["clock.nudge"]
    assert "All have said so: the time is given." in told(match, "more time 2 days", second)
    assert match.kinds() == ["clock.nudge", "clock.more"] and match.left() == 2 * DAY
    assert "2 days left, until" in " ".join(text_of(match.last(match.mover)).split())


def test_clocks_7_5_a_word_can_be_taken_back(match: TimedMatch) -> None:
    match.go_on(days=3)
    first, second = (seat for seat in range(3) if seat != match.seat)
    told(match, "more time 3 days", first)
    assert "Your word is taken back" in told(match, "more off", first)
    told(match, "more time 2 days", second)
    assert match.kinds() == ["clock.nudge"]


def test_clocks_9_2_keep_is_written_in_the_log(match: TimedMatch) -> None:
    told_lines = lines_of(match.post.answer(match.last(match.mover), "keep\n2 F", match.mover)[0])
    assert "“keep”: The game goes on." in told_lines
    assert match.kinds() == ["clock.keep"]


@pytest.mark.parametrize(
    ("said", "word"),
    [("I need more time", "I need more time"), ("Can I have two more days?", "Can I have two more days?")],
)
def test_clocks_7_5_who_wants_time_is_told_to_ask_the_others(match: TimedMatch, said: str, word: str) -> None:
    answer = told(match, said)
    assert f"Ask them for it. Nothing was done. Write “say {word}”, for example." in answer
    (answered,) = match.post.write(SERVICE, said, match.mover)
    assert "It is not clear which game this is about" in " ".join(text_of(answered).split())
    assert match.kinds() == []


def test_a_word_that_would_be_asked_back_comes_with_an_example(match: TimedMatch) -> None:
    answer = told(match, "How was your vacation?")
    assert "Say until which day you are away; that day is included. Nothing was done. Write “away until 5 Dec" in answer


def test_words_about_a_game_need_a_mail_about_it(match: TimedMatch) -> None:
    (answer,) = match.post.write(SERVICE, "more time 2 days", match.mover)
    assert "It is not clear which game this is about" in " ".join(text_of(answer).split())
    (answer,) = match.post.write(SERVICE, "away until 5 December", match.mover)
    assert "until the end of 5 December 2026" in " ".join(text_of(answer).split())


def test_what_only_claims_to_be_from_the_account_changes_nothing(match: TimedMatch) -> None:
    match.post.dmarc = None
    (answer,) = match.post.write(SERVICE, "away until 5 December", match.mover)
    assert "Anybody could have written that in your name" in " ".join(text_of(answer).split())
    assert not account(match, match.seat).absences


def test_clocks_10_2_the_list_of_games_says_until_when_there_is_time(match: TimedMatch) -> None:
    assert "it is your turn, until Monday 20:56 UTC." in told(match, "games")
    other = next(seat for seat in range(3) if seat != match.seat)
    assert f"{match.names[match.seat]} is next, until Monday 21:00 UTC." in told(match, "games", other)
