"""Sentences in a reply about the results of lines about time: absences, quiet times, clocks."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, time, timedelta

from service.clocks.zones import zone as zone_of
from service.language.languages import Language, Reader
from service.language.people import People
from service.reading.shown_words import SHOWN
from service.store import mail_outcome as done
from service.store.mail_outcome import Line

_INSTANT = timedelta(milliseconds=1)


def outcome_of(line: Line, reader: Reader, tables: Mapping[str, People]) -> str:
    """Return the result of a line in a few sentences; empty if the line is about something else.

    Args:
        line: the result.
        reader: the reader of the reply.
        tables: the players of the games that the result names, by the games' ids.
    """
    say = reader.language.say
    match line.what:
        case done.AWAY:
            return _away(line, reader, tables)
        case done.BACK:
            return _back(line, reader.language, tables)
        case done.QUIET:
            return _quiet(line, reader.language, tables)
        case done.MORE_TIME:
            return _more(line.facts.get("word", ""), reader.language)
        case done.KEPT:
            return say("The game goes on.")
        case done.REMINDERS:
            return _reminders(line.facts.get("how", ""), reader.language)
        case _:
            return ""


def _away(line: Line, reader: Reader, tables: Mapping[str, People]) -> str:
    say, language = reader.language.say, reader.language
    begins, ends = (datetime.fromisoformat(line.facts[name]) for name in ("begins", "ends"))
    if ends.astimezone(zone_of(reader.zone)).time() == time():
        away = say(
            "You are away from %(begins)s until the end of %(last)s, and your clocks stand still.",
            begins=reader.moment(begins),
            last=language.day(ends - _INSTANT, reader.zone),
        )
    else:
        away = say(
            "You are away from %(begins)s until %(ends)s, and your clocks stand still.",
            begins=reader.moment(begins),
            ends=reader.moment(ends),
        )
    sentences = [away]
    if "moved" in line.facts:
        sentences.append(say("An absence counts from 12 hours after it was announced at the earliest."))
    if where := _where(line, language, tables):
        sentences.append(say("It does not count where your time was up or the table says so: %(games)s.", games=where))
    word = language.quoted(SHOWN[language.code]["back"])
    sentences.append(say("Answer %(word)s when you are back earlier.", word=word))
    return " ".join(sentences)


def _quiet(line: Line, language: Language, tables: Mapping[str, People]) -> str:
    say, zone, word = language.say, line.facts.get("zone"), language.quoted(SHOWN[language.code]["settings"])
    sentences = [say("Your quiet times are changed.")]
    if zone == "UTC":
        sentences.append(say("They are in UTC; to choose your time zone, answer %(word)s.", word=word))
    elif zone is not None:
        sentences.append(say("They are in your time zone, %(zone)s.", zone=zone))
    if where := _where(line, language, tables):
        sentences.append(
            say("In games where your time runs now, they count from your next turn on: %(games)s.", games=where)
        )
    return " ".join(sentences)


def _back(line: Line, language: Language, tables: Mapping[str, People]) -> str:
    sentences = [language.say("Your absence is over, and your clocks run again.")] if "ended" in line.facts else []
    if where := _where(line, language, tables):
        sentences.append(language.say("You play yourself again, not the bot: %(games)s.", games=where))
    return " ".join(sentences)


def _more(word: str, language: Language) -> str:
    match word:
        case "given":
            return language.say("All have said so: the time is given.")
        case "off":
            return language.say("Your word is taken back; no time is given.")
        case _:
            return language.say("Noted. The time is given once all the others have said so too; the least counts.")


def _reminders(how: str, language: Language) -> str:
    match how:
        case "off":
            return language.say("You get no reminders from now on.")
        case "digest":
            return language.say("Your reminders come with the daily digest.")
        case _:
            return language.say("You are reminded at these times from now on.")


def _where(line: Line, language: Language, tables: Mapping[str, People]) -> str:
    """Return the games that a result names, each by the other players at its table."""
    games = (tables[game] for game in line.facts.get("games", "").split() if game in tables)
    return language.joined(language.say("with %(others)s", others=people.others()) for people in games)
