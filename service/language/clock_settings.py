"""Sentences about the settings that a table agrees on: its clock, and what happens when time runs out."""

from __future__ import annotations

from datetime import timedelta

from engine.clock.terms import Bank, Ladder, PerWait, Terms
from service.language.durations import duration
from service.language.languages import Language


def settings_in_words(terms: Terms | None, abandoned_after: timedelta, language: Language) -> tuple[str, ...]:
    """Return a table's settings in a few sentences.

    Args:
        terms: the clock and the ladder; None if there is no clock.
        abandoned_after: the time without a move after which the game ends.
        language: the language of the sentences.
    """
    ends = language.say(
        "A game in which nothing happens for %(time)s ends; everybody is told two weeks before.",
        time=duration(abandoned_after, language),
    )
    if terms is None:
        return language.say("There is no clock: everybody takes as long as they like."), ends
    return clock_in_words(terms, language), _standing_still(terms, language), *_ladder(terms.ladder, language), ends


def clock_in_words(terms: Terms, language: Language) -> str:
    """Return a sentence about the time that the players have."""
    clock = terms.clock
    if isinstance(clock, PerWait):
        return language.say("Each player has %(time)s for each turn.", time=duration(clock.per_wait, language))
    assert isinstance(clock, Bank), "a table without a clock has no terms"
    return language.say(
        "Each player has a supply of %(bank)s, and each turn adds %(increment)s, up to %(cap)s.",
        bank=duration(clock.bank, language),
        increment=duration(clock.increment, language),
        cap=duration(clock.cap, language),
    )


def _standing_still(terms: Terms, language: Language) -> str:
    match terms.quiet, terms.absences:
        case True, True:
            return language.say("The clock stands still in a player’s quiet times and absences.")
        case True, False:
            return language.say("The clock stands still in a player’s quiet times, but not in absences.")
        case False, True:
            return language.say("The clock stands still in a player’s absences, but not in quiet times.")
        case _:
            return language.say("The clock runs on in quiet times and absences.")


def _ladder(ladder: Ladder, language: Language) -> tuple[str, ...]:
    say, nudge = language.say, duration(ladder.nudge, language)
    up = say(
        "When a player’s time is up, they are reminded and the table is told; they have %(time)s more.", time=nudge
    )
    grace = (
        ()
        if ladder.grace is None
        else (
            say(
                "After that there is a grace period of %(time)s, once for each player.",
                time=duration(ladder.grace, language),
            ),
        )
    )
    match ladder.then:
        case "autopilot":
            then = say("In the end a bot plays for them until they come back.")
        case "out":
            then = say("In the end they are out of the game.")
        case _:
            then = say("In the end the game goes on waiting for them.")
    return up, *grace, then
