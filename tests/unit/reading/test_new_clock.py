"""The clock and the bots of a new game, as people write them in four languages."""

from dataclasses import replace
from datetime import timedelta

import pytest

from engine.clock.errors import ClockError
from engine.clock.terms import DEFAULT_LADDER, Bank, Ladder, PerWait
from service.commands.command_text import as_text
from service.reading.commands import New, Unclear
from service.reading.grammar import command
from service.reading.written_terms import WrittenClock, WrittenLadder

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
        ("new 3 players, 5 days and 1 day a move", BANK),
        ("new 3 players, a day and 12 hours a move", WrittenClock(per_wait=DAY * 1.5)),
        ("new 3 players, bank a day and 12 hours a move", WrittenClock(None, DAY, DAY / 2)),
        ("nueva partida a 3, 1 día y 12 horas por jugada", WrittenClock(per_wait=DAY * 1.5)),
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


def test_clocks_2_1_time_that_is_no_clock_makes_no_command() -> None:
    assert command("new 3 players, 3 days") is None
    assert command("new idea: 3 days") is None


@pytest.mark.parametrize("line", ["new 2 players, 3 days a move, no nudge", "neues Spiel, 3 Tage je Zug, ohne Mahnung"])
def test_clocks_6_1_a_new_game_without_a_nudge_is_asked_back(line: str) -> None:
    assert command(line) == Unclear(line, "nudge")


@pytest.mark.parametrize(
    "line",
    [
        "new 3 players, 3 days a move, 2 days a move",
        "new 3 players, -3 days a move",
        "new 3 players, 1.5 days a move",
        "new 3 players, 1,5 days a move",
    ],
)
def test_clocks_1_2_a_clock_that_cannot_be_read_is_asked_back(line: str) -> None:
    assert command(line) == Unclear(line, "clock")


@pytest.mark.parametrize("clock", [THREE_DAYS, BANK, WrittenClock(None, 5 * DAY, DAY, 7 * DAY), WrittenClock(), None])
def test_the_text_in_an_outcome_is_read_as_its_command(clock: WrittenClock | None) -> None:
    given = New(3, ("ann@example.org",), clock)
    assert command(as_text(given)) == given


def test_clocks_2_1_a_bank_without_a_cap_grows_by_two_increments() -> None:
    terms = New(3, (), BANK).terms()
    assert terms is not None and terms.clock == Bank(5 * DAY, DAY, 7 * DAY)


def test_clocks_2_1_a_written_clock_becomes_a_tables_terms() -> None:
    terms = New(3, (), THREE_DAYS).terms()
    assert terms is not None and terms.clock == PerWait(3 * DAY)
    assert New(3, (), WrittenClock()).terms() is None
    with pytest.raises(ClockError):
        New(3, (), WrittenClock(per_wait=timedelta(minutes=5))).terms()


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
        ("play against a bot", None, 1),
        ("I'd like to play a game against the computer", None, 1),
        ("a game for 3 with 2 bots", 3, 2),
        ("jouer contre l'ordinateur", None, 1),
        ("une partie contre un robot", None, 1),
        ("quiero jugar contra la máquina", None, 1),
        ("Ich möchte gegen einen Bot spielen", None, 1),
        ("ein Spiel gegen den Computer", None, 1),
    ],
)
def test_the_bots_of_a_new_game_in_four_languages(line: str, seats: int | None, bots: int) -> None:
    assert command(line) == New(seats, (), None, bots)


@pytest.mark.parametrize(
    "line",
    [
        "new 3, 1 bot, 2 bots",
        "new 3 botany",
        "new 3 no bot",
        "play",
        "a game",
        "a bot",
        "I beat the bot",
        "play chess against a bot",
        "play against ann@example.org",
        "gegen den Bot spielen macht Spaß",
    ],
)
def test_bots_that_are_not_clear_make_no_command(line: str) -> None:
    assert command(line) is None


def test_bots_stand_beside_addresses_and_a_clock() -> None:
    given = New(3, ("ann@example.org",), THREE_DAYS, 1)
    assert command("new 3 players, 3 days a move, 1 bot, ann@example.org") == given
    assert command(as_text(given)) == given
    assert command(as_text(New(None, ("bot@example.org",), None, 2))) == New(None, ("bot@example.org",), None, 2)


LADDER = WrittenLadder(DAY, 2 * DAY, "out")


@pytest.mark.parametrize(
    ("line", "ladder"),
    [
        ("new 3 players, 3 days a move, nudge 1 day, grace 2 days, then out", LADDER),
        ("new 3 players, 3 days a move, then wait", WrittenLadder(then="wait")),
        ("new 3 players, 3 days a move, no grace, then autopilot", WrittenLadder(None, timedelta(), "autopilot")),
        ("new 3, 3 days a move, no quiet times, no absences", WrittenLadder(quiet=False, absences=False)),
        ("new 3, 3 days a move, nudge a day, grace 2 days, finally out, no absences", replace(LADDER, absences=False)),
        ("nouvelle partie à 3, 3 jours par coup, rappel 1 jour, délai de grâce 2 jours, puis dehors", LADDER),
        ("nouvelle partie à 3, 3 jours par coup, sans sursis", WrittenLadder(grace=timedelta())),
        ("nouvelle partie à 3, 3 jours par coup, sans heures calmes", WrittenLadder(quiet=False)),
        ("nueva partida 3 jugadores, 3 días por jugada, aviso 1 día, gracia 2 días, luego fuera", LADDER),
        ("nueva partida 3 jugadores, 3 días por jugada, sin ausencias", WrittenLadder(absences=False)),
        ("neues Spiel für 3, 3 Tage pro Zug, Mahnung 1 Tag, Nachfrist 2 Tage, dann raus", LADDER),
        ("neues Spiel für 3, 3 Tage pro Zug, keine Ruhezeiten", WrittenLadder(quiet=False)),
    ],
)
def test_clocks_6_1_the_ladder_of_a_new_game_in_four_languages(line: str, ladder: WrittenLadder) -> None:
    assert command(line) == New(3, (), THREE_DAYS, 0, ladder)


def test_clocks_6_1_a_bot_at_the_end_of_the_ladder_is_none_at_the_table() -> None:
    given = New(3, (), BANK, 1, WrittenLadder(then="autopilot"))
    assert command("new 3 players, 1 bot, bank 5 days plus 1 day, then a bot") == given


@pytest.mark.parametrize(
    "line",
    [
        "new 3 players, nudge 1 day",
        "new 3 players, no clock, then out",
        "new 3 players, 3 days a move, then out, then wait",
        "new 3 players, 3 days a move, grace 1 day, no grace",
        "new 3 players, 3 days a move, then what",
        "new 3 players, 3 days a move, nudge",
    ],
)
def test_clocks_6_1_a_ladder_that_is_not_clear_makes_no_command(line: str) -> None:
    assert command(line) is None


@pytest.mark.parametrize(
    "ladder",
    [
        LADDER,
        WrittenLadder(),
        WrittenLadder(DAY / 2, timedelta(), "wait", quiet=False, absences=False),
        WrittenLadder(then="autopilot", absences=False),
    ],
)
def test_the_ladder_in_an_outcome_is_read_as_its_command(ladder: WrittenLadder) -> None:
    given = New(3, (), THREE_DAYS, 0, ladder if ladder != WrittenLadder() else None)
    assert command(as_text(given)) == given
    assert WrittenLadder.from_json(ladder.to_json()) == ladder


def test_clocks_6_1_steps_that_are_not_named_are_the_usual_ones() -> None:
    terms = New(3, (), THREE_DAYS, 0, WrittenLadder(grace=timedelta(), absences=False)).terms()
    assert terms is not None and terms.ladder == Ladder(DAY, None, "autopilot")
    assert (terms.quiet, terms.absences) == (True, False)
    usual = New(3, (), THREE_DAYS).terms()
    assert usual is not None and usual.ladder == DEFAULT_LADDER
