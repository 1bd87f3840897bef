"""The list of the reader's games in a reply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from service.language.durations import instant
from service.language.languages import Reader
from service.language.people import People
from service.queries.own_games import OwnGame


@dataclass(frozen=True, slots=True)
class ListedGame:
    """A game in a sentence, and the reader's link to it if the mail may contain that."""

    sentence: str
    link: str | None


def listed(games: tuple[OwnGame, ...], links: Mapping[str, str], reader: Reader) -> list[ListedGame]:
    """Return each game with whose turn it is, and until when; `links` are the tables' links by their ids."""
    return [ListedGame(_sentence(game, reader), links.get(game.table)) for game in games]


def _sentence(game: OwnGame, reader: Reader) -> str:
    language = reader.language
    say, people = language.say, People(game.names, game.seat, language)
    if game.turn is None:
        return say("A table for %(seats)s that waits for players.", seats=len(game.names))
    if game.kind == "solo":
        return say("A solo: it is your turn.")
    if game.until is not None and game.now is not None:
        until = instant(game.until, game.now, reader)
        if game.turn == game.seat:
            return say("With %(others)s: it is your turn, until %(until)s.", others=people.others(), until=until)
        name = people.called(game.turn)
        return say(
            "With %(others)s: %(name)s is next, until %(until)s.", others=people.others(), name=name, until=until
        )
    if game.turn == game.seat:
        return say("With %(others)s: it is your turn.", others=people.others())
    return say("With %(others)s: %(name)s is next.", others=people.others(), name=people.called(game.turn))
