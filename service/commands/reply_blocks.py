"""Carry out the lines of a mail that block players, or end that.

A player is meant by the name that mails show, in any letter case and with or without accents, or by an id. In an answer
to a mail about a game, that is first of all somebody at its table; otherwise somebody whom the account knows. If
several players have the name, nobody is blocked.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy.orm import Session

from engine.phrases import Phrase
from service.commands import blocks
from service.commands.command_text import as_text
from service.errors import Refusal
from service.language.languages import language
from service.language.people import People
from service.language.sanitize import one_line
from service.queries import namesakes
from service.queries.namesakes import NamedPlayer
from service.queries.table import load
from service.reading.commands import Block, Unblock
from service.reading.tokens import simple
from service.store import blocks as store
from service.store.accounts import Account
from service.store.mail_outcome import BLOCKED, REFUSED, UNBLOCKED, Line, refused, short

_NOBODY = (
    "unknown_player",
    Phrase("Nobody of that name sits at your tables or has invited you; write the name as your mails show it."),
)
_NOT_BLOCKED = ("not_blocked", Phrase("You have blocked nobody of that name."))
_SEVERAL = (
    "several_players",
    Phrase(
        "Several players whom you know have that name. Write it in an answer to a mail about a game with the one whom "
        "you mean, as it stands there."
    ),
)


def carry_out(session: Session, account: str, game: str | None, command: Block | Unblock, now: datetime) -> Line:
    """Carry out a line about a player, and return the result.

    Args:
        session: the transaction.
        account: the account that sent the mail.
        game: the id of the game that the mail is about; None if it is about none.
        command: the command of the line.
        now: the time of the transaction.
    """
    written, is_block = as_text(command), isinstance(command, Block)
    others = namesakes.known(session, account) if is_block else namesakes.blocked(session, account)
    meant = _meant(command.player, others)
    at_table = _at_table(session, account, game, command.player)
    if is_block or len(meant) > 1:
        meant = (at_table if is_block else at_table & meant) or meant
    if len(meant) != 1:
        code, why = _SEVERAL if meant else _NOBODY if is_block else _NOT_BLOCKED
        return Line(short(written), REFUSED, code=code, why=why)
    [player] = meant
    if not is_block:
        store.remove(session, account, player)
        return Line(short(written), UNBLOCKED)
    try:
        blocks.block(session, account, player, now)
    except Refusal as refusal:
        return refused(written, refusal)
    return Line(short(written), BLOCKED)


def _meant(written: str, players: Iterable[NamedPlayer]) -> set[str]:
    """Return the accounts of the players whom a name or an id may mean."""
    return {each.account for each in players if written == each.account or _same(written, each.name or "")}


def _at_table(session: Session, account: str, game: str | None, written: str) -> set[str]:
    """Return the accounts of the others at a table who are called so there, in the language of the account's mails."""
    table = None if game is None else load(session, game)
    if table is None:
        return set()
    names = table.names
    people = People(names, table.seat_of(account), language(session.get_one(Account, account).language))
    return {
        player.account
        for player in table.players
        if player.public_id is not None
        and player.account is not None
        and player.account != account
        and (_same(written, people.called(player.seat)) or _meant(written, [NamedPlayer(player.account, player.name)]))
    }


def _same(written: str, name: str) -> bool:
    return simple(one_line(written)) == simple(one_line(name))
