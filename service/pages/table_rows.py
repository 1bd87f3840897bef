"""Tables and explorations in lists: how each is called, where it leads, and what there is to say of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from flask import url_for

from engine.clock.terms import PerWait
from service.language.durations import duration
from service.language.languages import Language
from service.language.people import People, display_name
from service.language.words import goal_discs
from service.queries import clock_values, tables
from service.queries.own_games import OwnGame
from service.queries.tables import ListedTable


@dataclass(frozen=True, slots=True)
class Row:
    """A table or an exploration in a list.

    Attributes:
        name: what it is called.
        address: its page.
        state: a sentence about it, or empty.
        until: until when there is time, or None.
        ended: when its game ended, or None.
        begun: when it was begun, for an exploration alone.
    """

    name: str
    address: str
    state: str
    until: datetime | None = None
    ended: datetime | None = None
    begun: datetime | None = None


def place_of(given: str) -> tables.After:
    """Return the place in a list that an address names; the beginning if it names none."""
    return tables.After(int(given)) if given.isascii() and given.isdigit() and len(given) < 10 else tables.START


def own_row(game: OwnGame, language: Language) -> Row:
    """Return a game of the reader's that is not over."""
    people = People(game.names, game.seat, language)
    if game.turn is None:
        state = _taken(game.taken, language)
        name = language.say("A table for %(seats)s", seats=len(game.names))
        return Row(language.say("A solo") if game.kind == "solo" else name, _address(game.table), state)
    if game.turn == game.seat:
        state = language.say("It is your turn.")
    else:
        state = language.say("It is the turn of %(name)s.", name=people.called(game.turn))
    return Row(_own_name(game.kind, game.names, game.seat, language), _address(game.table), state, game.until)


def finished_row(listed: ListedTable, language: Language) -> Row:
    """Return a finished game."""
    name = _own_name(listed.kind, _names(listed), listed.seat, language)
    return Row(name, _address(listed.id), "", ended=listed.ended_at)


def open_row(listed: ListedTable, language: Language) -> Row:
    """Return a table with free seats: who sits there, for how many it is, and its clock."""
    names = language.listed(display_name(player.name, player.seat, language) for player in listed.players)
    said = [
        _taken(len(listed.players), language),
        language.say("%(discs)s for each player.", discs=goal_discs(listed.goal_discs, language)),
    ]
    if listed.terms is not None:
        clock = clock_values.terms(listed.terms).clock
        if isinstance(clock, PerWait):
            said.append(
                language.say("Each player has %(time)s for each turn.", time=duration(clock.per_wait, language))
            )
        else:
            said.append(language.say("Each player has a supply of time."))
    else:
        said.append(language.say("There is no clock."))
    seats = language.count("%(n)s seat.", "%(n)s seats.", listed.seats)
    return Row(language.say("A table with %(names)s", names=names), _address(listed.id), " ".join([seats, *said]))


def public_row(listed: ListedTable, language: Language) -> Row:
    """Return a game that is running or over, for anybody who may see it."""
    people = People(_names(listed), None, language)
    name = language.say("A table with %(names)s", names=people.all())
    state = "" if listed.turn is None else language.say("It is the turn of %(name)s.", name=people.called(listed.turn))
    return Row(name, _address(listed.id), state, ended=listed.ended_at)


def newest(found: Iterable[ListedTable], most: int) -> tuple[list[ListedTable], int | None]:
    """Return the newest tables, and the key of the last one if there are more."""
    ordered = sorted(found, key=lambda listed: -listed.key)
    return ordered[:most], ordered[most - 1].key if len(ordered) > most else None


def _address(table: str) -> str:
    return url_for("table_page.show_table", game=table)


def _taken(taken: int, language: Language) -> str:
    return language.count("%(n)s seat is taken.", "%(n)s seats are taken.", taken)


def _names(listed: ListedTable) -> tuple[str | None, ...]:
    names: list[str | None] = [None] * listed.seats
    for sitting in listed.players:
        names[sitting.seat] = sitting.name
    return tuple(names)


def _own_name(kind: str, names: tuple[str | None, ...], seat: int | None, language: Language) -> str:
    """Return the name of a table for its player: the names of the others there."""
    if kind == "solo":
        return language.say("A solo")
    return language.say("Nova Luna with %(others)s", others=People(names, seat, language).others())
