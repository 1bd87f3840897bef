"""Scan the entries of a log for the leaves of one's own games, from where the last scan ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from time import monotonic
from typing import Any, Final

from service.checkpoints import leaves, merkle
from service.checkpoints.notes import Checkpoint
from service.checkpoints.scanning import VERSIONS_AHEAD, Scan, Sighting
from service.checkpoints.tiles import WIDTH, TreeBuilder
from service.witness.errors import NotReached
from service.witness.fetching import Service
from service.witness.scan_file import ScanFile

LONGEST: Final = 3_600.0
"""The seconds after which a scan stops; the next run goes on from there."""

_SAVED_AFTER = 256
"""The number of bundles after which the state is saved, so that a long scan goes on where it was stopped."""


class LogScan:
    """A scan of one log.

    Args:
        service: where the log is.
        log: its number.
        records: the records of one's games, which the audit accepts.
        state: what earlier scans have found.
        save: keeps the state.
    """

    def __init__(
        self,
        service: Service,
        log: int,
        records: Sequence[dict[str, Any]],
        state: ScanFile,
        save: Callable[[ScanFile], None],
    ) -> None:
        self._service = service
        self._log = log
        self._records = records
        self._save = save
        self._games = {leaves.links(record)[0].hex(): len(record["log"]) for record in records}
        known = state.looked_for
        # A game that was not looked for so far may have leaves among the entries that were read already.
        unseen = any(game not in known or version > known[game] for game, version in self._games.items())
        self._state = ScanFile(state.origin) if unseen else state
        self.is_unordered = False

    def entries(self) -> dict[int, bytes]:
        """Return the leaves of one's games that were found, by their index."""
        return dict(self._state.found)

    def run(self, checkpoint: Checkpoint) -> list[Sighting]:
        """Read all entries that were not read before, and return what there is to see of one's games.

        Raises:
            NotReached: they can't be read, or are not those of the checkpoint's tree.
        """
        if checkpoint.size % WIDTH:
            raise NotReached(f"the log has {checkpoint.size} entries, which is no multiple of {WIDTH}")
        state = self._state
        if state.size > checkpoint.size:
            raise NotReached(f"{state.size} entries were scanned before, the log shows {checkpoint.size}")
        for game in self._games:
            state.looked_for.setdefault(game, self._games[game] + VERSIONS_AHEAD)
        builder = TreeBuilder(state.edges)
        ends = self._service.sizes(self._log, builder.size) if builder.size < checkpoint.size else set()
        scan = Scan(self._records)
        began = monotonic()
        for number in range(builder.size // WIDTH, checkpoint.size // WIDTH):
            entries = self._service.entries(self._log, number)
            for _ in builder.add(merkle.leaf_hash(each) for each in entries):
                pass
            ordered = [state.batch, *entries]
            self.is_unordered |= any(one > two for one, two in pairwise(ordered))
            state.batch = b"" if builder.size in ends else entries[-1]
            start = number * WIDTH
            state.found += [(each.index, entries[each.index - start]) for each in scan.look(start, entries)]
            state.edges = builder.edges
            if number % _SAVED_AFTER == _SAVED_AFTER - 1:
                self._save(state)
            if monotonic() - began >= LONGEST and builder.size < checkpoint.size:
                self._save(state)
                raise NotReached(f"{builder.size} of {checkpoint.size} entries are scanned; the next run goes on")
        if builder.root() != checkpoint.root:
            self._save(ScanFile(state.origin))
            raise NotReached("the entries are not those of the tree that is signed")
        state.batch = b""
        self._save(state)
        # What was found before is judged again, as the records may tell more by now, or something else.
        again = Scan(self._records)
        return [each for index, entry in state.found for each in again.look(index, [entry])]
