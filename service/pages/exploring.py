"""Tell on pages where an exploration can begin, what it goes on from, and how it can be taken back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import url_for
from sqlalchemy.orm import Session

from engine.phrases import Phrase
from engine.tiles import COUNT
from service.commands import explorations
from service.commands.bots import NAME
from service.commands.explorations import Beginning
from service.errors import Malformed
from service.language.languages import Language, Reader
from service.language.people import People
from service.pages.table_buttons import Button
from service.pages.table_rows import Row
from service.queries import explorations as reading
from service.queries import legal, replay
from service.queries.browser_sessions import BrowserSession
from service.queries.explored_games import read_moves
from service.queries.table import LoadedTable
from service.store.explorations import Exploration

SHOWN = 20
"""The number of explorations on a page."""

BACK, DELETE = "back", "delete"

_UNFIT = Phrase("Nothing was done: the form says something that it can't. Open its page again.")
_TAKE_BACK = Phrase("Take the last move back")


@dataclass(frozen=True, slots=True)
class Exploring:
    """The form by which an exploration begins: where it is sent, the last move that is kept, and the bot, if any."""

    action: str
    seq: int
    bot: str | None


def form(table: LoadedTable, seat: int | None, at: int | None) -> Exploring | None:
    """Return the form on the page that shows a table to a viewer who has an account; None for anybody else.

    The seat is the viewer's; `at` is the move after which the page shows the table, None for the last.
    """
    is_own_solo = table.table.kind == "solo" and seat is not None
    if table.header is None or not (table.status == "finished" or is_own_solo):
        return None
    last = explorations.last_position(table)
    action = url_for("explored_page.begin", game=table.table.id)
    return Exploring(action, min(last, last if at is None else at), NAME if table.table.seats > 1 else None)


def beginning(table: LoadedTable, account: str, sent: Mapping[str, str]) -> Beginning:
    """Return where an exploration begins, as the form says; refuse what no form of ours says (`unfit`)."""
    seq, bot = sent.get("seq", ""), sent.get("opponent") or None
    is_number = seq.isascii() and seq.isdigit() and len(seq) < 6
    if not is_number or int(seq) > table.version or bot not in (None, NAME) or (bot and table.table.seats == 1):
        raise Malformed("unfit", _UNFIT)
    assert table.header is not None
    state = replay.replay(table.header, table.tiles, table.entries[: int(seq)]).state
    mine = table.seat_of(account)
    return Beginning(int(seq), bot, state.turn if mine is None or legal.has_left(state, mine) else mine)


def last_own_move(kept: Exploration) -> int | None:
    """Return the number of the last move that the account has made; None if it has made none."""
    return next((each.seq for each in reversed(read_moves(kept)) if each.seat is not None and not each.by), None)


def facts(kept: Exploration, origin: LoadedTable, table: LoadedTable, reader: Reader) -> dict[str, Any]:
    """Return the template variables of an exploration's page that a table's page has not, or has otherwise."""
    return {
        "title": _title(origin, reader.language),
        "origin": url_for("table_page.show_table", game=origin.table.id, at=kept.seq, _anchor="board"),
        "seq": kept.seq,
        "drawn_anew": kept.tiles < COUNT,
        "begun": kept.created_at,
        "version": table.version,
        "buttons": [] if last_own_move(kept) is None else [Button(BACK, reader.language.say(_TAKE_BACK))],
    }


def listed(session: Session, me: BrowserSession, after: str) -> tuple[list[Row], str | None]:
    """Return the explorations of the account after the one with the id `after`, and from which on there are more."""
    place = reading.own(session, after, me.account) if after else None
    before = None if place is None else (place.created_at, place.id)
    found = reading.page(session, me.account, before, SHOWN + 1)
    names = reading.names_at(session, [kept.origin for kept, _, _ in found])
    language = me.reader.language
    rows = [
        Row(
            _called(kind, names[kept.origin], language),
            url_for("explored_page.show_exploration", exploration_id=kept.id),
            _state(kept, language),
            begun=kept.created_at,
        )
        for kept, _, kind in found[:SHOWN]
    ]
    return rows, found[SHOWN - 1][0].id if len(found) > SHOWN else None


def _title(origin: LoadedTable, language: Language) -> str:
    return _called(origin.table.kind, tuple(player.name for player in origin.players), language)


def _called(kind: str, names: tuple[str | None, ...], language: Language) -> str:
    people = People(names, language=language).all()
    if kind == "solo":
        return language.say("An exploration of a solo by %(names)s", names=people)
    return language.say("An exploration of a game of %(names)s", names=people)


def _state(kept: Exploration, language: Language) -> str:
    say = language.say
    since = say("From the start on.") if not kept.seq else say("From move %(number)s on.", number=kept.seq)
    return " ".join([since, say("It is over.")]) if kept.status == "finished" else since
