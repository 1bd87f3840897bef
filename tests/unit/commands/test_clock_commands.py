"""Commands about clocks: entries in the log, what the projection keeps of them, and who may not."""

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from engine import audit
from engine.moves import REFILL, RESIGN
from service.clocks.absences import Period
from service.clocks.game_clock import GameClock
from service.commands import absences, accounts, autopilot, host, keep, more_time, quiet_times, reminding
from service.commands.expectation import Expectation
from service.commands.play import play
from service.commands.rebuild import rebuild
from service.errors import Conflict, Forbidden, LimitReached, Malformed, StalePrecondition
from service.queries import game_clock, records
from service.queries.table import LoadedTable
from service.store import delivery_preferences, due_games
from tests.support import clocked, world
from tests.support.clocked import AUTOPILOT, DAY, HOUR, START

NIGHTS = [{"days": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"], "from": "22:00", "to": "07:00"}]


@pytest.fixture
def people(session: Session) -> list[str]:
    return [world.account(session, name) for name in ("Ann", "Ben", "Cleo")]


@pytest.fixture
def game(session: Session, people: list[str]) -> str:
    return clocked.match(session, *people[:2])


def clock_of(table: LoadedTable) -> GameClock:
    assert table.clock is not None
    return table.clock


def test_clocks_12_entry_1_says_what_the_table_agreed_on(session: Session, game: str) -> None:
    table = world.loaded(session, game)
    assert clocked.kinds(table) == ["clock"]
    assert table.entries[0].seat == table.state.turn and table.entries[0].by == ""
    assert table.clock is not None and table.clock.stretch is not None and table.clock.stretch.wait == 0
    assert table.progress is not None and table.progress.runs_out_at == START + DAY
    assert world.jobs(session, "mail_turn") == [{"game": game, "wait": 0}]


def test_clocks_7_1_a_mark_makes_no_version_stale_but_a_tag(session: Session, game: str) -> None:
    chosen = world.loaded(session, game)
    table = clocked.settle(session, game, START + DAY)
    assert clocked.kinds(table) == ["clock", "clock.nudge"]
    seat = table.state.turn
    assert seat is not None
    choice = table.state.legal_moves()[0]
    with pytest.raises(StalePrecondition):
        play(session, table, seat, choice, Expectation([chosen.tag], StalePrecondition), START + DAY)
    played = play(session, table, seat, choice, Expectation([chosen.version]), START + DAY)
    with pytest.raises(Conflict, match="stale_version"):
        play(session, played.table, seat, REFILL, Expectation([chosen.version]), START + DAY)
    with pytest.raises(Conflict, match="stale_version"):
        play(session, world.loaded(session, game), seat, REFILL, Expectation([2]), START + DAY)


def test_clocks_6_5_a_bot_plays_the_seat_until_it_is_taken_back(session: Session, people: list[str]) -> None:
    game = clocked.match(session, *people[:2], terms=AUTOPILOT)
    seat = world.loaded(session, game).state.turn
    assert seat is not None
    clocked.settle(session, game, START + DAY)
    table = clocked.settle(session, game, START + DAY + HOUR, plays_bots=True)
    assert clocked.kinds(table) == ["clock", "clock.nudge", "clock.autopilot", "move"]
    assert table.entries[3].by == "bot:greedy" and table.state.turn == 1 - seat
    assert autopilot.plays(table, seat)
    with pytest.raises(Conflict, match="A bot has played for you"):
        play(session, table, seat, REFILL, Expectation([2]), START + 2 * DAY)
    with pytest.raises(Conflict, match="stale_version"):
        autopilot.back(session, world.loaded(session, game), seat, START + 2 * DAY, Expectation(["3-1-00000000"]))
    table = autopilot.back(session, world.loaded(session, game), seat, START + 2 * DAY)
    assert clocked.kinds(table)[-1] == "clock.back" and not autopilot.plays(table, seat)
    with pytest.raises(Conflict, match="not_on_autopilot"):
        autopilot.back(session, table, seat, START + 2 * DAY)


def test_clocks_9_3_who_leaves_only_bots_ends_the_game_at_once(session: Session, people: list[str]) -> None:
    game = clocked.match(session, *people, terms=AUTOPILOT)
    at = START
    while len(clock_of(table := world.loaded(session, game)).autopilot) < 2:
        clocked.settle(session, game, at, plays_bots=True)
        at += HOUR
    (last,) = clock_of(table).persons()
    ended = play(session, table, last, RESIGN, None, at).table
    assert clocked.kinds(ended)[-2:] == ["resign", "end"] and ended.status == "finished"
    assert [entry.at for entry in ended.entries[-2:]] == [at] * 2
    stored = world.loaded(session, game)
    assert stored.tag == ended.tag and stored.progress == ended.progress
    audit.check(records.line(session, stored))
    assert list(rebuild(session, write=False)) == []


def test_clocks_7_5_a_word_waits_for_the_others_and_is_rebuilt(session: Session, people: list[str]) -> None:
    game = clocked.match(session, *people)
    table = world.loaded(session, game)
    mover = table.state.turn
    first, second = (seat for seat in range(3) if seat != mover)
    assert mover is not None
    with pytest.raises(Forbidden, match="not_yours_to_give"):
        more_time.say(session, table, mover, DAY, START)
    said = more_time.say(session, table, first, 3 * DAY, START + HOUR)
    assert said.version == 1 and said.table.revision == table.table.revision + 1
    assert [(word.seat, word.duration) for word in game_clock.words(said)] == [(first, 3 * DAY)]
    assert list(rebuild(session, write=False)) == []
    assert game_clock.words(more_time.say(session, said, first, None, START + HOUR)) == ()
    more_time.say(session, said, first, 3 * DAY, START + HOUR)
    given = more_time.say(session, said, second, 2 * DAY, START + 2 * HOUR)
    assert clocked.kinds(given)[-1] == "clock.more" and '"for":"P2D"' in given.entries[-1].move
    assert given.progress is not None and given.progress.runs_out_at == START + 3 * DAY
    assert session.scalar(text("SELECT count(*) FROM clock_words")) == 0
    assert list(rebuild(session, write=False)) == []


def test_clocks_7_5_the_host_uses_up_the_words_with_more_time(session: Session, people: list[str]) -> None:
    game = clocked.match(session, *people)
    table = world.loaded(session, game)
    mover = table.state.turn
    assert mover is not None
    more_time.say(session, table, (mover + 1) % 3, DAY, START)
    given = host.give_time(session, game, mover, 2 * DAY, "ill", START + HOUR)
    assert game_clock.words(given) == () and list(rebuild(session, write=False)) == []
    clocked.settle(session, game, START + HOUR)
    assert session.scalar(text("SELECT count(*) FROM clock_words")) == 0


def test_clocks_7_5_a_resignation_may_complete_the_offers(session: Session, people: list[str]) -> None:
    game = clocked.match(session, *people)
    table = world.loaded(session, game)
    first, second = (seat for seat in range(3) if seat != table.state.turn)
    more_time.say(session, table, first, DAY, START)
    play(session, world.loaded(session, game), second, RESIGN, None, START + HOUR)
    assert world.jobs(session, "settle_clock") == [{"game": game}]
    assert clocked.kinds(clocked.settle(session, game, START + HOUR))[-2:] == ["resign", "clock.more"]


def test_clocks_11_1_quiet_times_change_no_tag_but_what_counts(session: Session, people: list[str], game: str) -> None:
    before = world.loaded(session, game)
    mover = clocked.mover(session, game)
    assert quiet_times.change(session, mover, "Europe/Berlin", NIGHTS, START + HOUR).not_yet_in == [game]
    after = world.loaded(session, game)
    assert after.tag == before.tag and after.table.facts == before.table.facts + 1
    seat = after.seat_of(mover)
    assert seat is not None and len(after.seat_facts[seat].schedule.windows) == 1
    assert after.clock == before.clock and list(rebuild(session, write=False)) == []


def test_clocks_3_5_a_seventh_change_has_to_wait(session: Session, people: list[str]) -> None:
    for day in range(6):
        quiet_times.change(session, people[0], None, NIGHTS, START + day * DAY)
    with pytest.raises(LimitReached, match="too_often") as refused:
        quiet_times.change(session, people[0], "Asia/Tokyo", None, START + 29 * DAY)
    assert refused.value.retry_after == 24 * 3600
    quiet_times.change(session, people[0], "Asia/Tokyo", None, START + 30 * DAY)
    with pytest.raises(Malformed, match="unknown_zone"):
        quiet_times.change(session, people[0], "Mars/Olympus", None, START + 90 * DAY)


def test_clocks_4_7_an_absence_names_where_it_does_not_count(session: Session, people: list[str], game: str) -> None:
    mover = clocked.mover(session, game)
    clocked.settle(session, game, START + DAY)
    before = world.loaded(session, game)
    said = absences.announce(session, mover, Period(None, START + 5 * DAY), START + DAY + HOUR / 2)
    assert said.games == (game,) and not said.moved and said.absence.begins == START + DAY + 12.5 * HOUR
    after = world.loaded(session, game)
    assert after.table.revision == before.table.revision + 1
    assert len(game_clock.view(after, START + DAY, 0)["away"]) == 1
    with pytest.raises(Malformed, match="overlap"):
        absences.announce(session, mover, Period(None, START + 4 * DAY), START + DAY)
    returned = absences.back(session, mover, START + DAY + HOUR)
    assert [absence.begins for absence in returned.ended] == [said.absence.begins] and returned.games == ()
    assert game_clock.view(world.loaded(session, game), START + DAY, 0)["away"] == []


def test_clocks_4_5_back_takes_seats_back_from_the_bot(session: Session, people: list[str]) -> None:
    game = clocked.match(session, *people[:2], terms=AUTOPILOT)
    mover = clocked.mover(session, game)
    clocked.settle(session, game, START + DAY)
    clocked.settle(session, game, START + DAY + HOUR)
    assert absences.back(session, mover, START + 2 * DAY).games == (game,)
    assert clocked.kinds(world.loaded(session, game))[-1] == "clock.back"


def test_clocks_7_3_the_table_is_mailed_that_the_host_gave_time(session: Session, people: list[str], game: str) -> None:
    seat = world.loaded(session, game).state.turn
    assert seat is not None
    host.give_time(session, game, seat, DAY, "a storm", START + HOUR)
    told = [job["account"] for job in world.jobs(session, "mail_step")]
    assert sorted(told) == sorted(people[:2])


def test_clocks_7_2_the_host_pauses_and_resumes(session: Session, game: str) -> None:
    with pytest.raises(Malformed, match="out_of_bounds"):
        host.pause(session, game, START + 31 * DAY, "too long", START)
    with pytest.raises(Malformed, match="bad_reason"):
        host.pause(session, game, START + DAY, " ", START)
    with pytest.raises(Conflict, match="not_paused"):
        host.resume(session, game, "why", START)
    host.pause(session, game, START + 3 * DAY, "a storm", START + HOUR)
    assert clocked.kinds(clocked.settle(session, game, START + 2 * DAY)) == ["clock", "clock.pause"]
    table = host.resume(session, game, "it is over", START + 2 * DAY)
    assert table.entries[-1].by == "host" and table.entries[-1].seat is None
    assert table.progress is not None and table.progress.runs_out_at == START + 2 * DAY + 23 * HOUR
    assert list(rebuild(session, write=False)) == []


def test_clocks_7_3_the_host_gives_time_puts_out_and_ends(session: Session, people: list[str], game: str) -> None:
    seat = world.loaded(session, game).state.turn
    assert seat is not None
    with pytest.raises(Conflict, match="not_to_move"):
        host.give_time(session, game, 1 - seat, DAY, "why", START)
    given = host.give_time(session, game, seat, DAY, "ill", START)
    assert given.progress is not None and given.progress.runs_out_at == START + 2 * DAY
    out = host.put_out(session, game, seat, "rude", START + HOUR)
    assert clocked.kinds(out)[-2:] == ["host.out", "timeout"] and out.status == "finished"
    other = clocked.match(session, *people)
    ended = host.end(session, other, "asked for", START + HOUR)
    assert clocked.kinds(ended)[-2:] == ["host.end", "end"] and ended.entries[-1].by == "host"
    for table in (out, ended):
        audit.check(records.line(session, table))
    with pytest.raises(Conflict, match="not_running"):
        host.end(session, other, "again", START + HOUR)
    assert len(world.jobs(session, "mail_end")) == 5


def test_clocks_9_1_a_solo_that_nobody_plays_is_warned_and_ends(session: Session, people: list[str]) -> None:
    solo = world.solo(session, people[0])
    assert clocked.kinds(clocked.settle(session, solo, START + 75 * DAY)) == []
    assert clocked.kinds(clocked.settle(session, solo, START + 76 * DAY)) == ["clock.warning"]
    kept = keep.keep(session, world.loaded(session, solo), 0, START + 80 * DAY)
    assert clocked.kinds(clocked.settle(session, solo, START + 91 * DAY)) == ["clock.warning", "clock.keep"]
    assert kept.progress is not None and kept.progress.acted_seq == 0
    clocked.settle(session, solo, START + 160 * DAY)
    ended = clocked.settle(session, solo, START + 180 * DAY)
    assert clocked.kinds(ended)[-2:] == ["clock.warning", "end"] and ended.status == "finished"
    assert list(rebuild(session, write=False)) == []


def test_a_clock_that_the_previous_release_moved_on_is_folded_anew(session: Session, game: str) -> None:
    expected = clocked.move(session, game, START + HOUR).table
    session.execute(text("UPDATE progress SET clock_seq = 1, acted_seq = 0, clock = 'of version 1'"))
    stale = world.loaded(session, game)
    assert stale.progress is not None and stale.progress.clock is None and stale.progress.acted_seq == 2
    assert stale.clock == expected.clock
    clocked.move(session, game, START + 2 * HOUR)
    assert list(rebuild(session, write=False)) == []


def test_rebuild_names_and_mends_a_wrong_clock(session: Session, game: str) -> None:
    session.execute(text("UPDATE progress SET runs_out_at = now(), acted_seq = 7, clock_due_at = NULL"))
    found = list(rebuild(session, write=True))
    assert [line.split(" is ")[0] for line in found] == [
        f"game {game}: {name}" for name in ("acted_seq", "runs_out_at", "clock_due_at")
    ]
    assert list(rebuild(session, write=False)) == []
    assert clocked.game_of(session, game) in due_games.due(session, START, 100)


def test_an_erased_account_leaves_no_quiet_times_absences_or_reminders(
    session: Session, people: list[str], game: str
) -> None:
    mover = clocked.mover(session, game)
    quiet_times.change(session, mover, "Europe/Berlin", NIGHTS, START)
    absences.announce(session, mover, Period(None, START + 5 * DAY), START)
    clocked.settle(session, game, START)
    assert session.scalar(text("SELECT count(*) FROM reminders")) > 0
    accounts.delete_account(session, world.KEYS, mover, START + HOUR)
    for table in ("schedules", "reminders"):
        assert session.scalar(text(f"SELECT count(*) FROM {table}")) == 0
    row = session.execute(text("SELECT quiet, absences, zone FROM accounts WHERE id = :id"), {"id": mover}).one()
    assert tuple(row) == (None, None, "UTC")
    assert world.loaded(session, game).status == "finished"


def test_clocks_5_6_a_point_keeps_the_time_since_which_it_is_chosen(session: Session, people: list[str]) -> None:
    reminding.choose(session, people[0], ["PT24H", "PT6H"], START)
    reminding.choose(session, people[0], ["P1D", "half"], START + DAY)
    points = dict(delivery_preferences.reminder_points(session, people[0]))
    assert points == {"P1D": delivery_preferences.EVER, "half": START + DAY}
    reminding.choose(session, people[0], None, START + DAY)
    usual = delivery_preferences.reminder_points(session, people[0])
    assert [which for which, _ in usual] == list(delivery_preferences.USUAL_REMINDERS)
    session.execute(text("UPDATE notifications SET reminder_mail = 'off'"))
    assert delivery_preferences.reminder_points(session, people[0]) == []


def test_clocks_7_5_a_word_said_while_a_move_was_made_is_kept(session: Session, people: list[str]) -> None:
    game = clocked.match(session, *people)
    table = world.loaded(session, game)
    assert table.state.turn is not None
    seat = (table.state.turn + 1) % 3
    said = more_time.say(session, table, seat, DAY, START)
    session.execute(text("UPDATE progress SET clock = :clock"), {"clock": table.progress and table.progress.clock})
    clocked.settle(session, game, START + HOUR)
    assert game_clock.words(world.loaded(session, game)) == game_clock.words(said)
    assert list(rebuild(session, write=False)) == []


def test_clocks_12_a_mark_that_loses_a_race_follows_the_other(session: Session, people: list[str]) -> None:
    game = clocked.match(session, *people[:2], terms=AUTOPILOT)
    clocked.settle(session, game, START + DAY)
    seen = clocked.settle(session, game, START + DAY + HOUR, plays_bots=True)
    away = seen.entries[-1].seat
    assert away is not None and autopilot.plays(seen, away)
    keep.keep(session, seen, 1 - away, START + 2 * DAY)
    autopilot.back(session, seen, away, START + 2 * DAY)
    table = keep.keep(session, seen, 1 - away, START + 3 * DAY)
    assert clocked.kinds(table)[-3:] == ["clock.keep", "clock.back", "clock.keep"]
