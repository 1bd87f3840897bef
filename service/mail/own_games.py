"""The list of the reader's games in a reply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from service.language.durations import instant
from service.language.languages import Reader
from service.language.people import People
from service.mail.mailto import mailto
from service.queries.own_games import OwnGame
from service.reading.shown_words import SHOWN


@dataclass(frozen=True, slots=True)
class ListedGame:
    """A game in a sentence, the reader's link to it, and the address at which a mail is about it.

    Link and address are None if the mail may not contain them. `write` opens a mail to the address that asks for the
    table.
    """

    sentence: str
    link: str | None
    address: str | None
    write: str | None


def listed(
    games: tuple[OwnGame, ...], links: Mapping[str, str], answers: Mapping[str, str | None], reader: Reader
) -> list[ListedGame]:
    """Return each game with whose turn it is, and until when.

    Args:
        games: the games.
        links: the links to the tables by their ids.
        answers: the addresses at which mails are about them, likewise.
        reader: the reader of the mail.
    """
    return [_listed(game, links.get(game.table), answers.get(game.table), reader) for game in games]


def _listed(game: OwnGame, link: str | None, address: str | None, reader: Reader) -> ListedGame:
    sentence, word = _sentence(game, reader), SHOWN[reader.language.code]["status"]
    return ListedGame(sentence, link, address, None if address is None else mailto(address, sentence, word))


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
