"""Accounts, and games in progress with the moves that are to follow, written by the service's own commands."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import text
from sqlalchemy.orm import Session

from engine.moves import to_json
from service.access import tokens
from service.commands import players, tables
from service.commands.play import Expectation, play
from service.queries.table import LoadedTable, load
from service.store.accounts import Token, ensure_account
from service.store.ids import new_id


@dataclass(frozen=True)
class Player:
    """An account, and a token of it."""

    account: str
    token: str


@dataclass(frozen=True)
class Game:
    """A running two-player game and the moves that follow its version, each with who makes it."""

    id: str
    version: int
    revision: int
    players: tuple[Player, ...]
    following: tuple[tuple[Player, dict[str, Any]], ...]


def sign_up(session: Session, count: int) -> list[Player]:
    """New accounts, each with a token."""
    now = datetime.now(UTC)
    made = []
    for number in range(count):
        account = ensure_account(session, f"bench{number}@example.org", name=f"Bench {number}", language=None, now=now)
        token = tokens.new_token()
        session.add(Token(id=new_id(), account=account.id, hash=tokens.hash_of(token), created_at=now))
        made.append(Player(account.id, token))
    session.flush()
    return made


def games(session: Session, people: Sequence[Player], count: int, version: int, following: int) -> list[Game]:
    """So many games, played by chance up to a version, and so many moves that chance makes after it.

    Their mails are not wanted, and are taken out of the queue.
    """
    chance = random.Random(f"{count} {version} {following}")
    made = []
    for number in range(count):
        pair = people[number % len(people)], people[(number + 1) % len(people)]
        made.append(_continued(_played(session, pair, version, chance), pair, following, chance))
    session.execute(text("TRUNCATE procrastinate_jobs CASCADE"))
    return made


def _played(session: Session, pair: tuple[Player, Player], version: int, chance: random.Random) -> LoadedTable:
    """A game at this version; chance that ends it before begins another one."""
    while True:
        now = datetime.now(UTC)
        maker, guest = pair
        made = tables.create(session, maker.account, kind="match", seats=2, goal_discs=20, visibility="public", now=now)
        players.join(session, guest.account, made.id, invitation=None, entropy="", keys=(), now=now)
        table = load(session, made.id)
        assert table is not None
        while table.status == "running" and table.version < version:
            seat = table.state.turn
            assert seat is not None
            move = chance.choice(table.state.legal_moves())
            table = play(session, table, seat, move, Expectation([table.version]), datetime.now(UTC)).table
        if table.status == "running":
            return table


def _continued(table: LoadedTable, pair: tuple[Player, Player], following: int, chance: random.Random) -> Game:
    state = table.state.clone()
    moves: list[tuple[Player, dict[str, Any]]] = []
    while state.turn is not None and len(moves) < following:
        move = chance.choice(state.legal_moves())
        moves.append((pair[state.turn], {**to_json(move), "expected_version": table.version + len(moves)}))
        state.advance(state.turn, move)
    return Game(table.table.id, table.version, table.table.revision, pair, tuple(moves))
