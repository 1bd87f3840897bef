"""Commands about absences, quiet times, clocks and reminders, as people write them in four languages."""

from datetime import time, timedelta

import pytest

from service.reading.commands import (
    Away,
    Back,
    Command,
    Keep,
    MoreTime,
    Mute,
    New,
    Quiet,
    QuietWindow,
    Reminders,
    Unclear,
)
from service.reading.grammar import command
from service.reading.written_days import WrittenDay
from service.reading.written_terms import WrittenClock

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
UNTIL_5 = Away(None, WrittenDay(5, 12))
FROM_1_TO_5 = (Away(WrittenDay(1), WrittenDay(5, 12)), Away(WrittenDay(1, 12), WrittenDay(5, 12)))
EVERY_DAY = frozenset(range(7))
NIGHTS = Quiet((QuietWindow(EVERY_DAY, time(22), time(7)),))


@pytest.mark.parametrize(
    "line",
    [
        "away until 5 December",
        "Away until December 5th.",
        "away till the 5th of December",
        "I'm away until 5 Dec",
        "I’m on holiday until 5.12.",
        "Away until 5 December, inclusive",
        "absent jusqu'au 5 décembre",
        "Je suis absente jusqu’au 5 décembre, merci",
        "en vacances jusqu'au 5/12",
        "ausente hasta el 5 de diciembre",
        "Estoy de vacaciones hasta el 5 de diciembre",
        "ausente hasta el 5/12",
        "abwesend bis 5. Dezember",
        "Bin im Urlaub bis zum 5. Dezember!",
        "ich bin weg bis 5.12.",
        "verreist bis einschließlich 5. Dez.",
        "Ich bin bis zum 5. Dezember im Urlaub",
        "Bis 5. Dezember bin ich weg",
        "until 5 December I'm away",
        "I can't play until 5 December",
        "pause until 5 December",
        "I'm travelling until 5 December",
        "je suis malade jusqu'au 5 décembre",
        "jusqu'au 5 décembre, je suis absent",
        "no puedo jugar hasta el 5 de diciembre",
        "hasta el 5 de diciembre estoy de viaje",
        "Ich kann nicht spielen bis 5. Dezember",
        "I'm away until 5 December, sorry!",
        "I'm away until 5 December. Have fun!",
        "away until 5 December, see you then - good luck all",
        "Je suis en congé jusqu'au 5 décembre",
        "je serai en congés jusqu'au 5 décembre. Bonne partie à tous !",
        "Ich bin bis zum 5. Dezember im Urlaub. Danke für euer Verständnis!",
        "Abwesend bis 5.12. Viele Grüße",
        "Estoy de vacaciones hasta el 5 de diciembre, lo siento",
        "Estoy fuera hasta el 5 de diciembre. ¡Un saludo!",
    ],
)
def test_clocks_4_1_an_absence_until_a_day_in_four_languages(line: str) -> None:
    assert command(line) == UNTIL_5


@pytest.mark.parametrize(
    "line",
    [
        "je suis absente jusqu'au 5 décembre inclus. En cas d'urgence, contactez x@y.fr",
        "I'm away until 5 December, but I can still play",
        "I'm away until 5 December because of a wedding",
        "Ich bin bis zum 5. Dezember im Urlaub, danach geht's weiter",
        "ausente hasta el 5 de diciembre (una boda)",
        "away until 5 December, back on the 6th, I think",
    ],
)
def test_clocks_4_1_what_may_limit_an_absence_is_asked_back_with_its_day(line: str) -> None:
    assert command(line) == Unclear(line, "readings", (UNTIL_5,))


@pytest.mark.parametrize(
    "line",
    [
        "away until 5 December. Until 7 I can't answer",
        "away until 5 December, sorry, no, until Friday",
        "away until 5 December, maybe until January",
        "weg bis 5. Dezember, oder erst morgen",
    ],
)
def test_clocks_4_1_an_absence_that_names_two_days_has_neither(line: str) -> None:
    assert command(line) == Unclear(line, "day")


@pytest.mark.parametrize(
    "line",
    [
        "away 1 to 5 December",
        "away 1-5 December",
        "away from 1 December to 5 December",
        "away 1.12. - 5.12.",
        "absente du 1er au 5 décembre",
        "ausente del 1 al 5 de diciembre",
        "abwesend vom 1. bis 5. Dezember",
        "Urlaub vom 1. bis zum 5. Dezember",
        "Ich bin vom 1. bis 5. Dezember nicht da",
        "du 1er au 5 décembre je serai absente",
    ],
)
def test_clocks_4_1_an_absence_of_several_days_in_four_languages(line: str) -> None:
    assert command(line) in FROM_1_TO_5


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("away until 2026-12-05", Away(None, WrittenDay(5, 12, 2026))),
        ("away until 5 December 2027", Away(None, WrittenDay(5, 12, 2027))),
        ("away December 28 to 3", Away(WrittenDay(28, 12), WrittenDay(3))),
        ("away until Friday", Away(None, WrittenDay(weekday=4))),
        ("away until tomorrow", Away(None, WrittenDay(ahead=1))),
        ("away until the 5th", Away(None, WrittenDay(5))),
        ("away on", None),
        ("away for two weeks", Away(None, None, 14)),
        ("absent pendant 5 jours", Away(None, None, 5)),
        ("away until 25/12", Away(None, WrittenDay(25, 12))),
        ("away until you all stop", None),
        ("away but I will try to move", None),
    ],
)
def test_clocks_4_1_an_absence_is_said_in_many_ways(line: str, meant: Command | None) -> None:
    assert command(line) == meant


@pytest.mark.parametrize(
    "line",
    [
        "away 5 December",
        "away on 5 December",
        "I'm away on the 5th of December.",
        "absent le 5 décembre",
        "ausente el 5 de diciembre",
        "abwesend am 5. Dezember",
        "weg am 5.12.",
    ],
)
def test_clocks_4_1_an_absence_of_one_day_in_four_languages(line: str) -> None:
    assert command(line) == Away(WrittenDay(5, 12), WrittenDay(5, 12))


@pytest.mark.parametrize(
    "line",
    [
        "away from Friday 4 December to Sunday 6 December",
        "away Fri 4 Dec - Sun, Dec 6",
        "absente du vendredi 4 décembre au dimanche 6 décembre",
        "ausente del viernes 4 de diciembre al domingo 6 de diciembre",
        "weg von Freitag, 4.12., bis Sonntag, den 6.12.",
        "Urlaub vom Freitag, dem 4. Dezember, bis So. 6. Dezember",
    ],
)
def test_clocks_4_1_a_date_may_follow_its_weekday(line: str) -> None:
    assert command(line) == Away(WrittenDay(4, 12, weekday=4), WrittenDay(6, 12, weekday=6))


@pytest.mark.parametrize(
    "line",
    [
        "away next week",
        "I'm away this weekend!",
        "away until next week",
        "absent la semaine prochaine",
        "je suis absente ce week-end",
        "ausente la semana que viene",
        "weg nächste Woche",
        "verreist übers Wochenende",
        "I'm ill this week",
        "Ich bin nächste Woche im Urlaub",
    ],
)
def test_clocks_4_1_a_time_without_days_is_asked_back(line: str) -> None:
    asked = command(line)
    assert isinstance(asked, Unclear) and asked.lacks == "day"


def test_clocks_4_1_two_english_dates_of_numbers_have_one_order() -> None:
    first, second = Away(WrittenDay(1, 12), WrittenDay(5, 12)), Away(WrittenDay(12, 1), WrittenDay(12, 5))
    assert command("away 1/12 to 5/12") == Unclear("away 1/12 to 5/12", "readings", (first, second))


@pytest.mark.parametrize("line", ["away 3 days", "away for 3 days", "weg 3 Tage", "absent 3 jours", "ausente 3 días"])
def test_clocks_4_1_an_absence_for_some_days(line: str) -> None:
    assert command(line) == Away(None, None, 3)


@pytest.mark.parametrize(
    "line",
    [
        "away on business",
        "gone fishing",
        "ill",
        "zurück 2 Züge",
        "Sorry, I'm ill",
        "Ok, I'm gone",
        "away 36 hours",
        "ill 5 December, sorry",
        "away 5 December, I hope",
    ],
)
def test_clocks_4_1_what_says_no_days_is_no_absence(line: str) -> None:
    assert command(line) is None


def test_clocks_4_1_an_english_date_of_two_numbers_is_asked_back() -> None:
    fifth, twelfth = Away(None, WrittenDay(5, 12)), Away(None, WrittenDay(12, 5))
    assert command("away until 5/12") == Unclear("away until 5/12", "readings", (fifth, twelfth))


@pytest.mark.parametrize(
    "line",
    [
        "away",
        "away until",
        "away until 31 February",
        "away until 5 December or so",
        "away from 5 December",
        "away from Friday",
        "absent à partir du 5 décembre",
        "ausente desde el 5 de diciembre",
        "Urlaub ab 5. Dezember",
        "absent",
        "on vacation",
        "pause",
        "Urlaub",
        "en vacances",
        "de vacaciones",
        "back on 6 December",
        "I'll be back on Friday",
        "de retour le 6 décembre",
        "estaré de vuelta el 6 de diciembre",
        "bin wieder da am 6. Dezember",
    ],
)
def test_clocks_4_1_an_absence_without_a_day_is_asked_back(line: str) -> None:
    assert command(line) == Unclear(line, "day")


@pytest.mark.parametrize(
    "line", ["back", "I'm back!", "Back.", "de retour", "Je suis de retour", "de vuelta", "wieder da", "bin zurück"]
)
def test_clocks_4_5_being_back_in_four_languages(line: str) -> None:
    assert command(line) == Back()


def test_clocks_4_5_a_german_word_that_may_mean_a_move_is_asked_back() -> None:
    assert command("zurück") == Unclear("zurück", "readings", (Back(),))


def test_clocks_4_5_a_word_that_a_wrapped_sentence_leaves_is_no_command() -> None:
    assert command("back.") is None


@pytest.mark.parametrize(
    "line",
    [
        "quiet 22:00 to 07:00",
        "Quiet 22-7",
        "quiet from 10 pm to 7 am",
        "quiet hours 22:00-07:00 every day",
        "calme de 22h à 7h",
        "heures calmes de 22 h 00 à 7 h 00",
        "silence 22h à 7h",
        "descanso de 22:00 a 07:00",
        "horas de silencio de 22:00 a 7:00",
        "Ruhezeit 22 Uhr bis 7 Uhr",
        "Ruhe von 22:00 bis 7:00",
    ],
)
def test_clocks_3_1_quiet_times_in_four_languages(line: str) -> None:
    assert command(line) == NIGHTS


def test_clocks_3_1_quiet_times_of_certain_days() -> None:
    working, free = frozenset(range(5)), frozenset((5, 6))
    both = Quiet((QuietWindow(working, time(22), time(7)), QuietWindow(free, time(23, 30), time(9))))
    assert command("quiet mon-fri 22:00 to 7:00, sat sun 23:30 to 9:00") == both
    assert command("quiet 22:00 to 7:00 mon-fri, 23:30 to 9:00 sat and sun") == both
    assert command("Ruhezeit werktags 22:00 bis 7:00, am Wochenende 23:30 bis 9:00") == both
    assert command("quiet weekends 0:00 to 24:00") == Quiet((QuietWindow(free, time(0), time(0)),))


@pytest.mark.parametrize("line", ["quiet off", "no quiet times", "pas d'heures calmes", "Ruhezeit aus", "sin descanso"])
def test_clocks_3_1_quiet_times_end(line: str) -> None:
    assert command(line) == Quiet(())


def test_clocks_3_1_english_hours_of_half_a_day_are_asked_back() -> None:
    found = command("quiet 10 to 7")
    assert isinstance(found, Unclear)
    assert found.readings == (NIGHTS, Quiet((QuietWindow(EVERY_DAY, time(10), time(7)),)))
    assert command("calme 10h à 12h") == Quiet((QuietWindow(EVERY_DAY, time(10), time(12)),))


@pytest.mark.parametrize(
    "line",
    [
        "quiet 25:00 to 7:00",
        "quiet times",
        "quiet weekends",
        "quiet nights and weekends",
        "quiet mon-fri",
        "Ruhe nachts",
        "calme le week-end",
        "silencio por la noche",
    ],
)
def test_clocks_3_1_quiet_times_that_lack_hours_are_asked_back(line: str) -> None:
    assert command(line) == Unclear(line, "hours")


@pytest.mark.parametrize("line", ["quiet", "ruhe", "silencio", "quiet 22-7 except sunday"])
def test_clocks_3_1_quiet_times_alone_do_not_mute_the_table(line: str) -> None:
    assert command(line) == Unclear(line, "hours")


@pytest.mark.parametrize("line", ["mute", "stumm", "muet", "silence", "silenciar"])
def test_a_word_alone_mutes_the_table(line: str) -> None:
    assert command(line) == Mute()


@pytest.mark.parametrize(
    "line",
    [
        "more time 1.5 days",
        "1.5 more days",
        "1,5 days more",
        "more time -2 days",
        "plus de temps quinze jours",
        "mehr Zeit 1,5 Tage",
        "más tiempo quince días",
    ],
)
def test_clocks_1_2_more_time_that_is_no_duration_is_asked_back(line: str) -> None:
    assert command(line) == Unclear(line, "time")


@pytest.mark.parametrize("line", ["more fun next time!", "more next week", "noch diese Woche", "give my love to Ann"])
def test_talk_about_more_is_no_command(line: str) -> None:
    assert command(line) is None


@pytest.mark.parametrize(
    "line",
    [
        "more time 2 days",
        "more 2 days",
        "2 more days",
        "give 2 days more",
        "more time: two days",
        "more time 48 hours",
        "more P2D",
        "plus 2 jours",
        "plus de temps 2 jours",
        "2 jours de plus",
        "encore deux jours",
        "más 2 días",
        "más tiempo 2 días",
        "dos días más",
        "mehr Zeit 2 Tage",
        "mehr 2 Tage",
        "noch 2 Tage",
        "zwei weitere Tage",
        "give them 2 days",
        "give him two more days",
        "another 2 days",
        "donne-lui 2 jours",
        "dale 2 días más",
        "gib ihr noch 2 Tage",
    ],
)
def test_clocks_7_5_more_time_in_four_languages(line: str) -> None:
    assert command(line) == MoreTime(2 * DAY)


def test_clocks_7_5_more_time_of_two_units_and_taken_back() -> None:
    assert command("more time a day and 12 hours") == MoreTime(36 * HOUR)
    assert command("more off") == MoreTime(None)
    assert command("more time") == Unclear("more time", "time")


@pytest.mark.parametrize("line", ["keep", "keep it", "garder la partie", "mantener la partida", "weiterspielen"])
def test_clocks_9_2_keeping_a_game_in_four_languages(line: str) -> None:
    assert command(line) == Keep()


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("reminders 24 hours, 3 hours", Reminders((DAY, 3 * HOUR), "at_once")),
        ("reminders half, 1 day and 3 hours", Reminders(("half", DAY, 3 * HOUR), "at_once")),
        ("remind me 3 hours before", Reminders((3 * HOUR,), "at_once")),
        ("rappels la moitié, 24 heures, 3 heures", Reminders(("half", DAY, 3 * HOUR), "at_once")),
        ("recordatorios: la mitad, 24 horas y 3 horas", Reminders(("half", DAY, 3 * HOUR), "at_once")),
        ("Erinnerungen 24 Stunden, 3 Stunden", Reminders((DAY, 3 * HOUR), "at_once")),
        ("reminders off", Reminders(None, "off")),
        ("Erinnerungen aus", Reminders(None, "off")),
        ("reminders on", Reminders(None, "at_once")),
        ("reminders digest", Reminders(None, "digest")),
        ("reminders", Unclear("reminders", "points")),
        ("reminders 1 hour, 2 hours, 3 hours, 4 hours, 5 hours, 6 hours", None),
    ],
)
def test_clocks_5_1_reminders_in_four_languages(line: str, meant: Command | None) -> None:
    assert command(line) == meant


@pytest.mark.parametrize(
    ("line", "clock"),
    [
        ("new 3 players, 3 days a move", WrittenClock(per_wait=3 * DAY)),
        ("new 3, 3 days per turn", WrittenClock(per_wait=3 * DAY)),
        ("new 3 players, a week a move", WrittenClock(per_wait=7 * DAY)),
        ("new 3 players, bank 5 days plus 1 day", WrittenClock(None, 5 * DAY, DAY)),
        ("new 3 players, 5 days plus 1 day a move, at most 7 days", WrittenClock(None, 5 * DAY, DAY, 7 * DAY)),
        ("new 3 players, no clock", WrittenClock()),
        ("new 3 players", None),
        ("nouvelle partie à 3, 3 jours par coup", WrittenClock(per_wait=3 * DAY)),
        ("nueva partida 3 jugadores, 3 días por jugada", WrittenClock(per_wait=3 * DAY)),
        ("neues Spiel für 3, 3 Tage pro Zug", WrittenClock(per_wait=3 * DAY)),
        ("neues Spiel für 3, Zeitkonto 5 Tage plus 1 Tag", WrittenClock(None, 5 * DAY, DAY)),
    ],
)
def test_clocks_2_1_the_clock_of_a_new_game_in_four_languages(line: str, clock: WrittenClock | None) -> None:
    assert command(line) == New(3, (), clock)


def test_clocks_2_1_a_clock_may_stand_before_or_behind_the_addresses() -> None:
    expected = New(None, ("ann@example.org", "ben@example.org"), WrittenClock(per_wait=3 * DAY))
    assert command("new game with ann@example.org, ben@example.org, 3 days a move") == expected
    assert command("new game, 3 days a move, ann@example.org and ben@example.org") == expected


def test_clocks_2_1_days_without_a_word_for_moves_are_no_clock() -> None:
    assert command("new 3 players, 3 days") is None
