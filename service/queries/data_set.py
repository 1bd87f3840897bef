"""Read a site's public games for a data set: their finished games with their moves, a few games at a time.

There are no names in it, because names can be erased later; players have their public ids.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import NamedTuple

from sqlalchemy.orm import Session

from engine import record
from engine.story import MoveRow, rows
from service.queries import exports, stories
from service.store.autocommit_pool import Statements, statements

PAGE = 50
"""The number of games that are read at a time."""

_KEYS = """
SELECT tables.key
  FROM tables
  JOIN progress ON progress.game = tables.key AND progress.status = 'finished'
 WHERE tables.visibility = 'public' AND tables.kind = 'match' AND tables.key > %(after)s
 ORDER BY tables.key
 LIMIT %(limit)s
"""

_PLAYERS = """
SELECT tables.id, array_agg(CASE WHEN accounts.erased_at IS NULL THEN seats.account END ORDER BY seats.seat)
  FROM tables
  JOIN seats ON seats.game = tables.key
  LEFT JOIN accounts ON accounts.id = seats.account
 WHERE tables.key = ANY (%(keys)s::integer[])
 GROUP BY tables.id
"""


class PublicGame(NamedTuple):
    """A finished public game.

    Attributes:
        players: the public ids of the players by seat; None for a bot and for an account that was erased.
        ranking: the seats, best first; None if the game was ended without one.
    """

    id: str
    rules: str
    seats: int
    goal_discs: int
    started_at: datetime
    reason: str
    ranking: tuple[int, ...] | None
    players: tuple[str | None, ...]
    moves: tuple[MoveRow, ...]


def public_games(store: Session | Statements) -> Iterator[PublicGame]:
    """Yield the finished public games in the order in which their tables were opened; one that is damaged is left out.

    Every statement reads a few games, so that any number of them takes the same memory.
    """
    after = 0
    while keys := [key for (key,) in statements(store).rows(_KEYS, {"after": after, "limit": PAGE})]:
        rows_of_players = statements(store).rows(_PLAYERS, {"keys": f"{{{','.join(map(str, keys))}}}"})
        players = {game: tuple(ids) for game, ids in rows_of_players}
        yield from exports.lines(store, keys, partial(_game, players))
        after = keys[-1]


def _game(players: Mapping[str, tuple[str | None, ...]], line: bytes) -> PublicGame:
    found = json.loads(line)
    game, result = found["game"], found["result"]
    ranking: list[int] | None = result["ranking"]
    return PublicGame(
        id=game["id"],
        rules=found["rules"],
        seats=game["seats"],
        goal_discs=game["goal_discs"],
        started_at=record.moment(game["started_at"]),
        reason=result["reason"],
        ranking=None if ranking is None else tuple(ranking),
        players=players[game["id"]],
        moves=tuple(rows(*stories.replayed_record(found))),
    )
