"""Read and write the trees of the logs of checkpoints: tiles, entries and leaves (migration 0034).

A row is a full tile. Of a tile of level 1 or more no hash is stored: they are the roots of 256 tiles of the level
below. Sizes are multiples of 256, so a tile of level 0 is always full.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, NamedTuple

import psycopg
from sqlalchemy import text
from sqlalchemy.orm import Session

from service.checkpoints.leaves import ENTRY_BYTES
from service.checkpoints.merkle import leaf_hash
from service.checkpoints.tiles import HASH_BYTES, WIDTH


class Tile(NamedTuple):
    """A full tile: its level and number, its root and, at level 0, its entries."""

    level: int
    number: int
    root: bytes
    entries: bytes | None


class Leaf(NamedTuple):
    """The leaf of a game at a version: its log, and its index there as `at`, and whether the game was over."""

    log: int
    version: int
    finished: bool
    at: int


class NewEntry(NamedTuple):
    """An entry of a new batch; `game`, `version` and `finished` are None for padding."""

    game: int | None
    version: int | None
    finished: bool | None
    entry: bytes


_TAG, _BODY = b"nova-luna-leaf/1 tag\x00", b"nova-luna-leaf/1 body\x00"

# What has changed, by the events: those that have no position yet will have one above `events_to`.
_CHANGED = """
    SELECT DISTINCT game FROM (
        SELECT game FROM events WHERE position > %(since)s UNION ALL SELECT game FROM new_events
    ) AS happened"""

_ALL = "SELECT game FROM setups"

# One statement, so one snapshot. The entries of games, and as much of the padding as fills the last tile.
_ENTRIES = """
WITH games AS ({games}),
found AS (
    SELECT games.game, coalesce(last.seq, 0)::smallint AS version,
           progress.status = 'finished' AND progress.version = coalesce(last.seq, 0) AS finished,
           header.hash AS header, coalesce(last.hash, header.hash) AS head
      FROM games
      JOIN progress ON progress.game = games.game
      JOIN setups ON setups.game = games.game
     CROSS JOIN LATERAL (SELECT sha256(convert_to(setups.header, 'UTF8')) AS hash) AS header
      LEFT JOIN LATERAL (
           SELECT seq, hash FROM log WHERE log.game = games.game ORDER BY seq DESC LIMIT 1
           ) AS last ON true
      LEFT JOIN LATERAL (
           SELECT index FROM checkpoint_leaves AS leaf
            WHERE leaf.game = games.game AND leaf.log = %(log)s AND leaf.version = coalesce(last.seq, 0) LIMIT 1
           ) AS had ON true
     WHERE had.index IS NULL
), entries AS MATERIALIZED (
    SELECT game, version, finished,
           sha256(%(tag)s::bytea || header || int4send(version))
           || sha256(%(body)s::bytea || header || int4send(version)
                     || CASE WHEN finished THEN '\\x01'::bytea ELSE '\\x00'::bytea END || head) AS entry
      FROM found
), lacking AS (
    SELECT CASE WHEN count(*) = 0 THEN {width} ELSE ({width} - count(*) %% {width}) %% {width} END AS number
      FROM entries
)
SELECT game, version, finished, entry FROM entries
UNION ALL
SELECT NULL, NULL, NULL, padding.entry
  FROM unnest(%(padding)s::bytea[]) WITH ORDINALITY AS padding (entry, number), lacking
 WHERE padding.number <= lacking.number
 ORDER BY entry
"""


@contextmanager
def new_entries(
    session: Session, log: int, since: int | None, padding: Sequence[bytes]
) -> Iterator[Iterator[NewEntry]]:
    """Yield the entries of a new batch in their order, read from the database as they are asked for.

    Every started game that has no leaf in the log at its present version gets one. Version and head are those of the
    game's log, not of its projection.

    Args:
        session: the transaction.
        log: the log.
        since: look only at games that have events after this position; None: look at all games.
        padding: 256 random entries, of which as many are used as fill the last tile.
    """
    statement = _ENTRIES.format(games=_ALL if since is None else _CHANGED, width=WIDTH)
    if since is not None:
        # A few games are looked up one by one, whatever the planner expects of tables that have just been filled.
        for setting in ("enable_hashjoin = off", "enable_mergejoin = off", "join_collapse_limit = 1"):
            session.execute(text(f"SET LOCAL {setting}"))
    arguments = {"log": log, "since": since, "tag": _TAG, "body": _BODY, "padding": list(padding)}
    with driver(session).cursor(name="checkpoint_entries", binary=True) as cursor:
        cursor.execute(statement, arguments)
        yield _fetched(cursor)


def _fetched(cursor: psycopg.ServerCursor[Any]) -> Iterator[NewEntry]:
    while rows := cursor.fetchmany(WIDTH):
        for row in rows:
            yield NewEntry(*row)


def driver(session: Session) -> psycopg.Connection[Any]:
    """Return the connection of psycopg that a session's transaction runs on."""
    found = session.connection().connection.driver_connection
    assert isinstance(found, psycopg.Connection)
    return found


def event_positions(session: Session) -> tuple[int, int]:
    """Return the last position that an event has, and the last one whose event was deleted."""
    last, deleted = session.execute(text("SELECT last, deleted FROM event_positions")).one()
    return last, deleted


_COPY_TILES = "COPY checkpoint_tiles (log, level, tile, root, entries) FROM STDIN (FORMAT BINARY)"
_COPY_LEAVES = "COPY checkpoint_leaves (index, game, version, log, finished) FROM STDIN (FORMAT BINARY)"


def add_tiles(session: Session, log: int, tiles: Iterable[Tile]) -> None:
    """Add full tiles to a log."""
    types = ["int2", "int2", "int8", "bytea", "bytea"]
    with driver(session).cursor() as cursor, cursor.copy(_COPY_TILES) as copy:
        copy.set_types(types)
        for tile in tiles:
            copy.write_row((log, tile.level, tile.number, tile.root, tile.entries))


def add_leaves(session: Session, log: int, leaves: Iterable[tuple[int, NewEntry]]) -> None:
    """Add where the leaves of games are, given as index and entry; padding is left out."""
    types = ["int8", "int4", "int2", "int2", "bool"]
    with driver(session).cursor() as cursor, cursor.copy(_COPY_LEAVES) as copy:
        copy.set_types(types)
        for index, new in leaves:
            if new.game is not None:
                copy.write_row((index, new.game, new.version, log, new.finished))


def roots(session: Session, log: int, level: int, first: int, count: int) -> bytes:
    """Return the joined roots of `count` full tiles of a level from `first` on, or of as many as there are."""
    found = text("""
        SELECT root FROM checkpoint_tiles
         WHERE log = :log AND level = :level AND tile >= :first AND tile < :end ORDER BY tile
    """)
    asked = {"log": log, "level": level, "first": first, "end": first + count}
    return b"".join(session.scalars(found, asked))


def entries(session: Session, log: int, number: int) -> list[bytes] | None:
    """Return the 256 entries of a tile of level 0; None if there is no such tile."""
    found = text("SELECT entries FROM checkpoint_tiles WHERE log = :log AND level = 0 AND tile = :tile")
    stored: bytes | None = session.scalar(found, {"log": log, "tile": number})
    return None if stored is None else [stored[at : at + ENTRY_BYTES] for at in range(0, len(stored), ENTRY_BYTES)]


def fetcher(session: Session, log: int) -> Callable[[int, int, int], bytes]:
    """Return a function that reads the hashes of a tile, given by its level, number and width."""

    def fetch(level: int, number: int, width: int) -> bytes:
        if level:
            return roots(session, log, level - 1, number * WIDTH, width)
        return b"".join(map(leaf_hash, entries(session, log, number) or ()))[: width * HASH_BYTES]

    return fetch


def leaves(session: Session, log: int, game: int) -> list[Leaf]:
    """Return the leaves of a game in a log, by version."""
    found = text("""
        SELECT log, version, finished, index FROM checkpoint_leaves
         WHERE game = :game AND log = :log ORDER BY version
    """)
    return [Leaf(*row) for row in session.execute(found, {"game": game, "log": log})]


def batched(items: Iterable[NewEntry], size: int) -> Iterator[list[NewEntry]]:
    """Yield lists of `size` items; the last one may be shorter."""
    remaining = iter(items)
    while group := list(islice(remaining, size)):
        yield group
