"""The mail that reminds a player of games in which time runs, the first one shown as in a turn mail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from service.language.clock_words import clock_line
from service.mail import on_move
from service.mail.message import Content, Picture
from service.mail.move_links import Answering
from service.mail.rendering import render
from service.queries.turn_context import Turn


@dataclass(frozen=True, slots=True)
class OtherGame:
    """Another game of which the mail reminds.

    Attributes:
        others: the other players.
        clock: a line about the time left.
        page: the reader's own link to the table.
        answer: the address that shows the table and takes moves; None if no mail is received.
    """

    others: str
    clock: str
    page: str
    answer: str | None


def compose(
    games: tuple[Turn, ...],
    base_url: str,
    pages: Mapping[str, str],
    answers: Mapping[str, str | None],
    unsubscribe: str,
    picture: Picture | None = None,
) -> Content:
    """Compose the mail.

    Args:
        games: the games, the most urgent first.
        base_url: the public URL of the service.
        pages: the reader's own links by table.
        answers: the addresses to answer at, by table.
        unsubscribe: the link to stop such mails.
        picture: a picture of the first table.
    """
    first, *rest = games
    people = first.people
    subject = (
        people.language.count("%(n)s game waits for your move", "%(n)s games wait for your move", len(games))
        if rest
        else people.language.say("Your time runs: Nova Luna with %(others)s", others=people.others())
    )
    address = answers.get(first.table)
    return render(
        "reminder",
        first.to.reader,
        **on_move.facts(first, base_url, Answering(address, subject) if address else None),
        subject=subject,
        name=people.called(first.seat) if first.to.name else None,
        playing=people.others(),
        table=first.table,
        also=[_other(game, pages[game.table], answers.get(game.table)) for game in rest],
        page=pages[first.table],
        unsubscribe=unsubscribe,
        picture=picture,
    )


def _other(game: Turn, page: str, answer: str | None) -> OtherGame:
    line = "" if game.clock is None else clock_line(game.clock, game.people, game.to.reader.zone)
    return OtherGame(game.people.others(), line, page, answer)
