"""Build a game's record in the format `nova-luna-record/1`."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

from sqlalchemy.orm import Session

from engine import notation, record
from engine.draw import Draw
from engine.moves import to_json
from engine.text import parse
from service.language.people import public_name
from service.queries import replay
from service.queries.table import LoadedTable
from service.store import log
from service.store.entries import Entries
from service.store.log import Entry


def line(session: Session, table: LoadedTable, version: int | None = None) -> bytes:
    """Return the record of a started game, as `chained_line` does, reading the hashes from the database."""
    return chained_line(table, [link.hash for link in log.read(session, table.table.key)][: table.version], version)


def chained_line(table: LoadedTable, hashes: Sequence[bytes], version: int | None = None) -> bytes:
    """Return the record of a started game as RFC 8785 JSON and a line feed; `hashes` are those of its entries.

    A finished game has the seed and all 68 tiles, a running one no seed and the tiles shown so far. The entries are
    those up to the version that `table` was loaded at or, with an earlier `version`, up to that one: then the record is
    as it was there.

    Raises:
        ValueError: the game has not started.
    """
    if table.header is None:
        raise ValueError(f"table {table.table.id} has not started")
    assert table.base is None, "the log is there from its start"
    if version is not None and version < table.version:
        names = [player.name for player in table.players]
        return running_line(table.header, names, table.entries[:version], hashes[:version], table.server_seed)
    return record.line(
        record.build(
            header=table.header,
            names=[public_name(player.name) for player in table.players],
            entries=_entries(table.header, table.entries, hashes),
            state=table.state,
            server_seed=table.server_seed if table.status == "finished" else None,
        )
    )


def notated(line: bytes) -> bytes:
    """Return the text of a record, `nova-luna-text/1`, from its line."""
    return notation.text(notation.from_record(json.loads(line))).encode()


class RecordCache:
    """A cache of the records that were read last, one for each game, with the tag of the table at the time.

    It holds no state of its own: a caller uses a cached record only after it has read that the table still has that
    tag. Several threads may share it.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._lines: OrderedDict[str, tuple[str, bytes]] = OrderedDict()
        self._lock = Lock()

    def get(self, table: str) -> tuple[str, bytes] | None:
        """Return the tag and the record of a table, given by its id, or None."""
        with self._lock:
            if table in self._lines:
                self._lines.move_to_end(table)
            return self._lines.get(table)

    def put(self, table: str, tag: str, line: bytes) -> None:
        """Cache the record of a table at a tag."""
        with self._lock:
            self._lines[table] = tag, line
            self._lines.move_to_end(table)
            while len(self._lines) > self.size:
                self._lines.popitem(last=False)


def finished_line(
    header: record.Object,
    names: Sequence[str | None],
    entries: Entries,
    hashes: Sequence[bytes],
    server_seed: bytes,
    result: record.Object,
) -> bytes:
    """Return the record of a finished game from what is stored, without replaying it."""
    draw = header["draw"]
    return record.line(
        record.assemble(
            header=header,
            names=[public_name(name) for name in names],
            entries=_entries(header, entries, hashes),
            tiles=Draw(server_seed, draw["subject"], tuple(draw["entropy"])).tiles,
            server_seed=server_seed,
            result=result,
        )
    )


def running_line(
    header: record.Object,
    names: Sequence[str | None],
    entries: Sequence[Entry],
    hashes: Sequence[bytes],
    server_seed: bytes,
) -> bytes:
    """Return the record of a running game, which shows neither the seed nor the tiles to come."""
    draw = header["draw"]
    tiles = Draw(server_seed, draw["subject"], tuple(draw["entropy"])).tiles
    return record.line(
        record.build(
            header=header,
            names=[public_name(name) for name in names],
            entries=_entries(header, entries, hashes),
            state=replay.replay(header, tiles, entries).state,
            server_seed=None,
        )
    )


def _entries(header: record.Object, entries: Sequence[Entry], hashes: Sequence[bytes]) -> list[record.Object]:
    prev = record.digest(header)
    found = []
    for entry, hash_ in zip(entries, hashes, strict=True):
        move = to_json(parse(entry.move))
        body = {"seq": entry.seq, "at": record.stamp(entry.at), "seat": entry.seat, "move": move, "prev": prev}
        if entry.by:
            body["by"] = entry.by
        prev = body["hash"] = hash_.hex()
        found.append(body)
    return found
