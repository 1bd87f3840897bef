"""The clock and the bots of a new game, as people write them in four languages."""

from datetime import timedelta

import pytest

from engine.clock.errors import ClockError
from engine.clock.terms import Bank, PerWait
from service.commands.command_text import as_text
from service.reading.commands import New, WrittenClock
from service.reading.grammar import command

DAY = timedelta(days=1)
THREE_DAYS = WrittenClock(per_wait=3 * DAY)
BANK = WrittenClock(None, 5 * DAY, DAY)


@pytest.mark.parametrize(
    ("line", "clock"),
    [
        ("new 3 players, 3 days a move", THREE_DAYS),
        ("new 3, 3 days per turn", THREE_DAYS),
        ("new 3 players, a week a move", WrittenClock(per_wait=7 * DAY)),
        ("new 3 players, bank 5 days plus 1 day", BANK),
        ("new 3 players, 5 days plus 1 day a move, at most 7 days", WrittenClock(None, 5 * DAY, DAY, 7 * DAY)),
        ("new 3 players, no clock", WrittenClock()),
        ("new 3 players", None),
        ("nouvelle partie à 3, 3 jours par coup", THREE_DAYS),
        ("nouvelle partie à 3, réserve de 5 jours plus 1 jour", BANK),
        ("nueva partida 3 jugadores, 3 días por jugada", THREE_DAYS),
        ("nueva partida 3 jugadores, reserva de 5 días más 1 día", BANK),
        ("neues Spiel für 3, 3 Tage pro Zug", THREE_DAYS),
        ("neues Spiel für 3, Zeitkonto 5 Tage plus 1 Tag", BANK),
    ],
)
def test_clocks_2_1_the_clock_of_a_new_game_in_four_languages(line: str, clock: WrittenClock | None) -> None:
    assert command(line) == New(3, (), clock)


def test_clocks_2_1_a_clock_may_stand_before_or_behind_the_addresses() -> None:
    expected = New(None, ("ann@example.org", "ben@example.org"), THREE_DAYS)
    assert command("new game with ann@example.org, ben@example.org, 3 days a move") == expected
    assert command("new game, 3 days a move, ann@example.org and ben@example.org") == expected


@pytest.mark.parametrize("line", ["new 3 players, 3 days", "new 3 players, 3 days a move, 2 days a move"])
def test_clocks_2_1_time_that_is_no_clock_makes_no_command(line: str) -> None:
    assert command(line) is None


@pytest.mark.parametrize("clock", [THREE_DAYS, BANK, WrittenClock(None, 5 * DAY, DAY, 7 * DAY), WrittenClock(), None])
def test_the_text_in_an_outcome_is_read_as_its_command(clock: WrittenClock | None) -> None:
    given = New(3, ("ann@example.org",), clock)
    assert command(as_text(given)) == given


def test_clocks_2_1_a_bank_without_a_cap_grows_by_two_increments() -> None:
    terms = BANK.terms()
    assert terms is not None and terms.clock == Bank(5 * DAY, DAY, 7 * DAY)


def test_clocks_2_1_a_written_clock_becomes_a_tables_terms() -> None:
    terms = THREE_DAYS.terms()
    assert terms is not None and terms.clock == PerWait(3 * DAY)
    assert WrittenClock().terms() is None
    with pytest.raises(ClockError):
        WrittenClock(per_wait=timedelta(minutes=5)).terms()


@pytest.mark.parametrize("clock", [THREE_DAYS, BANK, WrittenClock()])
def test_a_stored_clock_is_read_back(clock: WrittenClock) -> None:
    assert WrittenClock.from_json(clock.to_json()) == clock


@pytest.mark.parametrize(
    ("line", "seats", "bots"),
    [
        ("new 2 players, 1 bot", 2, 1),
        ("new 4, two bots", 4, 2),
        ("new game against a bot", None, 1),
        ("new game for 3 with 2 computers", 3, 2),
        ("new 3, 0 bots", 3, 0),
        ("nouvelle partie à 2, contre un robot", 2, 1),
        ("nouvelle partie à 3 avec deux ordinateurs", 3, 2),
        ("nueva partida 2 jugadores, 1 bot", 2, 1),
        ("nueva partida contra un ordenador", None, 1),
        ("neues Spiel für 2 gegen einen Bot", 2, 1),
        ("neues Spiel für 4 mit zwei Bots", 4, 2),
    ],
)
def test_the_bots_of_a_new_game_in_four_languages(line: str, seats: int | None, bots: int) -> None:
    assert command(line) == New(seats, (), None, bots)


@pytest.mark.parametrize("line", ["new 3, 1 bot, 2 bots", "new 3 botany", "new 3 no bot"])
def test_bots_that_are_not_clear_make_no_command(line: str) -> None:
    assert command(line) is None


def test_bots_stand_beside_addresses_and_a_clock() -> None:
    given = New(3, ("ann@example.org",), THREE_DAYS, 1)
    assert command("new 3 players, 3 days a move, 1 bot, ann@example.org") == given
    assert command(as_text(given)) == given
    assert command(as_text(New(None, ("bot@example.org",), None, 2))) == New(None, ("bot@example.org",), None, 2)
