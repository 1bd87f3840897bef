"""Read the records of all games of a player, a few at a time, so that any number of them can be streamed.

Every function runs one statement and leaves no connection behind.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar

from sqlalchemy.orm import Session

from service.queries import records
from service.queries.table_access import MAY_READ
from service.store.autocommit_pool import Statements, statements
from service.store.batches import Batch
from service.store.callers import Caller, by_caller
from service.store.entries import AGGREGATED, Entries

WINDOW = 300
"""The number of a player's games whose readers are determined at a time."""

STATUSES = ("running", "finished")
"""The statuses of games that have a record."""

_HASH_WIDTH = 32

Made = TypeVar("Made")


class Window(NamedTuple):
    """Some of a player's games, in the order in which their tables were opened.

    Attributes:
        account: the caller's account; None for nobody.
        end: the key of the last game that was examined; None if there are no more.
        keys: the keys of those games of which the caller may read the record.
    """

    account: str | None
    end: int | None
    keys: list[int]


def _window(player: str, kinds: Sequence[str], readable: str) -> dict[type, str]:
    ranges = " UNION ALL ".join(
        f"""(SELECT game AS key FROM seats
              WHERE account = {player} AND kind = '{kind}' AND status = '{status}' AND game > %(after)s
                AND CAST(%(status)s AS text) IN ('', '{status}')
              ORDER BY game LIMIT {WINDOW})"""
        for kind in kinds
        for status in STATUSES
    )
    return by_caller(f"""
SELECT caller.account, page.key, {readable}
  FROM {{caller}}
  LEFT JOIN LATERAL (
       SELECT key FROM ({ranges}) AS together ORDER BY key LIMIT {WINDOW}
       ) AS page ON true
  LEFT JOIN tables ON tables.key = page.key
 ORDER BY page.key
""")


_CALLER, _OWN_KINDS = "caller.account", ("match", "solo")
_PLAYER, _KINDS_OF_PLAYER = "%(player)s", ("match",)

_OWN = _window(_CALLER, _OWN_KINDS, "true")
_OF_PLAYER = _window(_PLAYER, _KINDS_OF_PLAYER, MAY_READ)


def window(store: Session | Statements, caller: Caller, player: str | None, status: str | None, after: int) -> Window:
    """Return the next games after the one with the key `after`, of a player, or (None) of the caller.

    `status` is one of `STATUSES`, None for both. The caller's own games include solos.
    """
    statement = _OWN if player is None else _OF_PLAYER
    asked = {"after": after, "status": status or ""} | ({} if player is None else {"player": player})
    rows = statements(store).rows(statement[type(caller)], caller.arguments(**asked))
    found = [(key, is_readable) for _, key, is_readable in rows if key is not None]
    end = found[-1][0] if found else None
    return Window(rows[0][0], end, [key for key, is_readable in found if is_readable])


def _place(player: str, kinds: Sequence[str], readable: str) -> dict[type, str]:
    # For a join with seats, Postgres may read all tables that the player sits at.
    return by_caller(f"""
SELECT caller.account, (SELECT game FROM seats WHERE game = tables.key AND account = {player})
  FROM {{caller}}
  LEFT JOIN tables ON tables.id = %(game)s AND {readable}
        AND tables.kind IN ({", ".join(f"'{kind}'" for kind in kinds)})
""")


_PLACE_IN_OWN = _place(_CALLER, _OWN_KINDS, "true")
_PLACE_IN_GAMES_OF_PLAYER = _place(_PLAYER, _KINDS_OF_PLAYER, MAY_READ)


def place_of(
    store: Session | Statements, caller: Caller, player: str | None, game: str
) -> tuple[str | None, int | None]:
    """Return the caller's account, and the key of a game, given by its id.

    The key is None if the game is not one of the player's (None: of the caller's) of which the caller may read the
    record.
    """
    statement = _PLACE_IN_OWN if player is None else _PLACE_IN_GAMES_OF_PLAYER
    arguments = {"game": game} | ({} if player is None else {"player": player})
    account, key = statements(store).read(statement[type(caller)], caller.arguments(**arguments))
    return account, key


_LINES = f"""
SELECT wanted.key, setups.header, draw_secrets.server_seed, progress.result, sitting.names,
       played.times, played.seats, played.bys, played.moves, played.hashes
  FROM unnest(%(keys)s::integer[]) AS wanted (key)
  JOIN setups ON setups.game = wanted.key
  JOIN draw_secrets ON draw_secrets.game = wanted.key
  JOIN progress ON progress.game = wanted.key
 CROSS JOIN LATERAL (
       SELECT array_agg(coalesce(name, 'bot:' || bot) ORDER BY seat) AS names
         FROM seats LEFT JOIN accounts ON accounts.id = seats.account
        WHERE seats.game = wanted.key
       ) AS sitting
 CROSS JOIN LATERAL (
       SELECT {AGGREGATED}, string_agg(hash, '') AS hashes
         FROM (SELECT at, seat, by, move, hash FROM log WHERE log.game = wanted.key ORDER BY seq) AS ordered
       ) AS played
 ORDER BY wanted.key
"""


def lines(store: Session | Statements, keys: Sequence[int], make: Callable[[bytes], Made]) -> list[Made]:
    """Apply `make` to the lines of the records of the games with these keys, in their order.

    A game that cannot be read is logged and left out, so that it keeps nobody from the records of the others.
    """
    rows = statements(store).rows(_LINES, {"keys": f"{{{','.join(map(str, keys))}}}"})
    batch = Batch("export")
    found = [batch.attempt(key, partial(_made, make, *columns)) for key, *columns in rows]
    return [line for line in found if line is not None]


def _made(make: Callable[[bytes], Made], *columns: Any) -> Made:
    return make(_line(*columns))


def _line(
    header: str, seed: bytes, result: str | None, names: list[str | None], times: bytes | None, *played: Any
) -> bytes:
    *columns, hashes = played
    parsed = json.loads(header)
    entries = Entries.read(0, times, *columns)
    cut = [hashes[at : at + _HASH_WIDTH] for at in range(0, len(hashes or b""), _HASH_WIDTH)]
    if result is None:
        return records.running_line(parsed, names, entries, cut, seed)
    return records.finished_line(parsed, names, entries, cut, seed, json.loads(result))
