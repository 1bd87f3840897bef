"""A batch has a leaf for each game that has changed, padding up to 256, and the tree that any builder would make."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.orm import Session

from service.checkpoints import leaves, merkle
from service.checkpoints.tiles import TreeBuilder
from service.commands import checkpoint_batches
from service.queries import checkpoint_proofs, records
from service.store import checkpoint_tiles, checkpoints
from service.store.checkpoint_tiles import NewEntry
from service.store.checkpoints import Batch, Log
from tests.support import world
from tests.support.clock import NOW


@pytest.fixture
def log(session: Session) -> Log:
    return checkpoints.begin_log(session, 1, "nova.example/v1/checkpoints/1", NOW)


@pytest.fixture
def batch(session: Session, log: Log) -> Callable[[], Batch]:
    """Return a function that makes a batch, after the events of what was done have their positions."""

    def make() -> Batch:
        session.flush()
        session.execute(text("SELECT place_events()"))
        return checkpoint_batches.make(session, log, NOW)

    return make


def _entries(session: Session, size: int) -> list[bytes]:
    found = [checkpoint_tiles.entries(session, 1, number) or [] for number in range(size // 256)]
    return [entry for tile in found for entry in tile]


def _game(session: Session) -> str:
    ann = world.account(session, f"Ann{session.scalar(text('SELECT count(*) FROM accounts'))}")
    return world.match(session, ann, world.account(session, f"Ben{ann}"))


def test_a_batch_without_games_is_256_entries_of_padding(session: Session, batch: Callable[[], Batch]) -> None:
    made = batch()
    entries = _entries(session, made.size)
    assert (made.size, made.leaves) == (256, 0)
    assert len(set(entries)) == 256 and entries == sorted(entries)
    assert made.root == merkle.root_of([merkle.leaf_hash(entry) for entry in entries])


def test_leaves_are_those_that_the_records_of_games_have(session: Session, batch: Callable[[], Batch]) -> None:
    started, over = _game(session), _game(session)
    world.move(session, started)
    world.move(session, started)
    world.play_out(session, over)
    fresh = _game(session)
    made = batch()
    assert made.leaves == 3
    entries = _entries(session, made.size)
    for table_id, version, status in ((started, 2, "running"), (fresh, 0, "running"), (over, None, "finished")):
        table = world.loaded(session, table_id)
        (leaf,) = checkpoint_tiles.leaves(session, 1, table.table.key)
        links = leaves.links(json.loads(records.line(session, table)))
        assert leaf.version == (table.version if version is None else version)
        assert leaf.finished is (status == "finished")
        assert entries[leaf.at] == leaves.entry(links[0], leaf.version, status, links[leaf.version])


def test_only_games_that_have_changed_get_another_leaf(session: Session, batch: Callable[[], Batch]) -> None:
    one, other = _game(session), _game(session)
    assert batch().leaves == 2
    assert batch().leaves == 0
    world.move(session, one)
    assert batch().leaves == 1
    key = world.loaded(session, one).table.key
    assert [leaf.version for leaf in checkpoint_tiles.leaves(session, 1, key)] == [0, 1]
    assert len(checkpoint_tiles.leaves(session, 1, world.loaded(session, other).table.key)) == 1


def test_events_that_nobody_has_placed_yet_are_looked_at(session: Session, log: Log) -> None:
    checkpoint_batches.make(session, log, NOW)
    _game(session)
    assert session.scalar(text("SELECT count(*) FROM events")) == 0
    assert checkpoint_batches.make(session, log, NOW).leaves == 1


def test_all_games_are_looked_at_when_events_are_gone(
    session: Session, batch: Callable[[], Batch], owner: Engine
) -> None:
    batch()
    _game(session)
    session.execute(text("SELECT place_events()"))
    session.execute(text("DELETE FROM events"))
    assert checkpoint_batches.make(session, checkpoints.logs(session)[0], NOW).leaves == 0
    session.execute(text("UPDATE event_positions SET deleted = last"))
    session.execute(text("UPDATE event_positions SET last = last + 1, deleted = last + 1"))
    assert batch().leaves == 1


def test_the_tree_grows_as_that_of_one_builder(session: Session, log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    for count in (1, 300, 0, 255, 65_600, 3):
        monkeypatch.setattr(checkpoint_tiles, "new_entries", _random_entries(count))
        made.append(checkpoint_batches.make(session, log, NOW))
    entries = _entries(session, made[-1].size)
    builder, first = TreeBuilder(), made[1]
    for batch in made:
        list(builder.add(map(merkle.leaf_hash, entries[builder.size : batch.size])))
        stored = checkpoints.batch_of(session, 1, batch.size)
        assert stored is not None and (stored.root, stored.edge) == (builder.root(), batch.edge)
        node = checkpoint_proofs.nodes(session, batch).node
        for index in (0, batch.size // 2, batch.size - 1):
            path = merkle.inclusion_path(index, batch.size, node)
            assert merkle.root_of_path(merkle.leaf_hash(entries[index]), index, batch.size, path) == batch.root
        if batch.size > first.size:
            path = merkle.consistency_path(first.size, batch.size, node)
            assert merkle.is_consistent(first.size, batch.size, first.root, batch.root, path)


def test_a_proof_reads_four_tiles_at_most(session: Session, log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    for count in (65_600, 600):
        monkeypatch.setattr(checkpoint_tiles, "new_entries", _random_entries(count))
        batch = checkpoint_batches.make(session, log, NOW)
    read: list[tuple[int, int, int]] = []
    fetch = checkpoint_tiles.fetcher(session, 1)

    def counting(level: int, number: int, width: int) -> bytes:
        read.append((level, number, width))
        return fetch(level, number, width)

    monkeypatch.setattr(checkpoint_tiles, "fetcher", lambda session, log: counting)
    for index in (0, 65_000, 65_536, batch.size - 1):
        read.clear()
        merkle.inclusion_path(index, batch.size, checkpoint_proofs.nodes(session, batch).node)
        assert len(read) <= 2  # one of each level below the largest subtrees


def _random_entries(count: int) -> Callable[..., AbstractContextManager[Iterator[NewEntry]]]:
    """Return a stand-in for the entries of a batch: a number of random ones, and padding."""

    @contextmanager
    def entries(
        session: Session, log: int, since: int | None, padding: Sequence[bytes]
    ) -> Iterator[Iterator[NewEntry]]:
        lacking = 256 if count == 0 else -count % 256
        made = [secrets.token_bytes(64) for _ in range(count)] + list(padding[:lacking])
        yield (NewEntry(None, None, None, entry) for entry in sorted(made))

    return entries
