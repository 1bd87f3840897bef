"""Measure checkpoints: building a tree, making a batch of changed games, proving one, and the bytes stored.

The batch is the service's own, in an embedded Postgres, on copies of games (`bench.audit`). It is compared with hashing
as many entries in Python alone, and the bytes with those that the hashes and numbers themselves take.
"""

import argparse
import hashlib
import time
from collections.abc import Iterator
from datetime import UTC, datetime

from sqlalchemy import Connection, Engine, text
from sqlalchemy.orm import Session

from bench import audit, served
from bench.rounds import ROUNDS, Finding, costs, in_turn, speeds
from service.checkpoints import leaves, merkle
from service.checkpoints.tiles import WIDTH, TreeBuilder
from service.commands import checkpoint_batches
from service.queries import checkpoint_proofs
from service.store import checkpoint_tiles, checkpoints
from service.store.checkpoints import Batch, Log, StoredNote

LEAVES, GAMES = 100_000, 5_000
"""The number of leaves of the tree in memory, and of the games that have changed."""

ENTRY_BYTES, LEAF_BYTES = 66.0, 60.0
"""How many bytes of the database an entry and the row of a leaf were reckoned to take when the log was designed."""

_PROOFS = 200
_ORIGIN = "bench.example/v1/checkpoints/1"


def measure(rounds: int = ROUNDS, number: int = LEAVES, games: int = GAMES) -> Iterator[Finding]:
    """Measure a tree of `leaves` leaves, and a batch of `games` games."""
    taken = in_turn(lambda: _tree(number), lambda: _hashing(number), rounds)
    name = f"{number:,} leaves with entries and tree: as fast as four SHA-256 each"
    yield speeds(name, None, "leaves/s", taken)
    with served.database({"max_wal_size": "4GB"}) as database, served.connected(database.url) as engine:
        with Session(engine) as session, session.begin():
            log = checkpoints.begin_log(session, 1, _ORIGIN, datetime.now(UTC))
            checkpoint_batches.make(session, log, datetime.now(UTC))
        audit.fill(database.url, games)
        with engine.begin() as connection:
            _mark_changed(connection)
        served.settle(engine)
        taken = in_turn(lambda: _rolled_back(session, log, games), lambda: _tree(games), rounds)
        yield costs(f"a game of a batch of {games:,} changed ones: of a leaf in memory", None, taken)
        _give_back(engine)
        with session.begin():
            batch = checkpoint_batches.make(session, log, datetime.now(UTC))
            assert batch.leaves == games, f"{batch.leaves} leaves of {games} games"
        served.settle(engine)
        taken = in_turn(lambda: _proof(session, batch, games), lambda: _hashing(WIDTH) * WIDTH, rounds)
        yield costs(f"a proof in a tree of {batch.size:,}: of hashing the entries of a tile", None, taken)
        with session.begin():
            yield from _sizes(session, batch)


def _tree(number: int) -> float:
    """Return the seconds for a leaf when entries are made and put into a tree in memory."""
    header, head = bytes(32), bytes(range(32))
    builder = TreeBuilder()
    begun = time.perf_counter()
    entries = (leaves.entry(header, version, leaves.RUNNING, head) for version in range(number))
    for _ in builder.add(map(merkle.leaf_hash, entries)):
        pass
    builder.root()
    return (time.perf_counter() - begun) / number


def _hashing(number: int) -> float:
    """Return the seconds for a leaf of the hashes that it takes, without all else: tag, body, leaf and node."""
    tagged, long, pair = bytes(57), bytes(90), bytes(65)
    sha256 = hashlib.sha256
    begun = time.perf_counter()
    for _ in range(number):
        sha256(tagged).digest()
        sha256(long).digest()
        sha256(pair).digest()
        sha256(pair).digest()
    return (time.perf_counter() - begun) / number


def _mark_changed(connection: Connection) -> None:
    """Write an event for each game, so that the next batch looks at it."""
    connection.execute(text("SET LOCAL session_replication_role = replica"))
    connection.execute(
        text("""
            INSERT INTO events (position, game, kind, at, status, version, revision, head)
            SELECT key, key, 'end', now(), 'finished', 1, 1, '' FROM tables
        """)
    )
    connection.execute(text("UPDATE event_positions SET last = (SELECT max(position) FROM events)"))


def _give_back(engine: Engine) -> None:
    """Give back the pages of the batches that were rolled back, as bytes are counted after the next one."""
    served.settle(engine)
    with engine.begin() as connection:
        for table in ("checkpoint_tiles", "checkpoint_leaves"):
            connection.execute(text(f"REINDEX TABLE {table}"))


def _rolled_back(session: Session, log: Log, games: int) -> float:
    """Return the seconds for a game of a batch that is not committed."""
    begun = time.perf_counter()
    batch = checkpoint_batches.make(session, log, datetime.now(UTC))
    taken = time.perf_counter() - begun
    session.rollback()
    assert batch.leaves == games, f"{batch.leaves} leaves of {games} games"
    return taken / games


def _proof(session: Session, batch: Batch, games: int) -> float:
    """Return the seconds for reading the leaf of a game and proving it."""
    note = StoredNote(batch.log, batch.size, batch.root, "", (), batch.made_at)
    count = min(_PROOFS, games)
    begun = time.perf_counter()
    for game in range(1, count + 1):
        (proof,) = checkpoint_proofs.inclusion(session, batch, note, checkpoint_tiles.leaves(session, batch.log, game))
        assert len(proof.path) <= batch.size.bit_length()
    taken = time.perf_counter() - begun
    session.rollback()
    return taken / count


def _sizes(session: Session, batch: Batch) -> Iterator[Finding]:
    """Yield the bytes in the database for an entry and for the row of a leaf, of those that were reckoned with."""
    for name, table, count, expected in (
        ("an entry", "checkpoint_tiles", batch.size, ENTRY_BYTES),
        ("the row of a leaf", "checkpoint_leaves", batch.leaves, LEAF_BYTES),
    ):
        stored: int = session.scalar(text(f"SELECT pg_total_relation_size('{table}')")) or 0
        each = stored / count
        shown = f"{each:.1f} B", f"{expected:.0f} B"
        yield Finding(f"bytes stored for {name}", None, (each / expected,), *shown)


def main() -> None:
    """Measure as many leaves and games as the command line says, once, and print the findings."""
    parser = argparse.ArgumentParser(prog="python -m bench.checkpoints", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--leaves", type=int, default=LEAVES)
    parser.add_argument("--games", type=int, default=GAMES)
    given = parser.parse_args()
    for finding in measure(1, given.leaves, given.games):
        print("  ".join(finding.row()), flush=True)


if __name__ == "__main__":
    main()
