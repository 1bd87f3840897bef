"""The list of the reader's games in a reply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from service.language.languages import Language
from service.language.people import People
from service.queries.own_games import OwnGame


@dataclass(frozen=True, slots=True)
class ListedGame:
    """A game in a sentence, and the reader's link to it if the mail may contain that."""

    sentence: str
    link: str | None


def listed(games: tuple[OwnGame, ...], links: Mapping[str, str], language: Language) -> list[ListedGame]:
    """Return each game with whose turn it is; `links` are the tables' links by their ids."""
    return [ListedGame(_sentence(game, language), links.get(game.table)) for game in games]


def _sentence(game: OwnGame, language: Language) -> str:
    say, people = language.say, People(game.names, game.seat, language)
    if game.turn is None:
        return say("A table for %(seats)s that waits for players.", seats=len(game.names))
    if game.kind == "solo":
        return say("A solo: it is your turn.")
    if game.turn == game.seat:
        return say("With %(others)s: it is your turn.", others=people.others())
    return say("With %(others)s: %(name)s is next.", others=people.others(), name=people.called(game.turn))
