"""Look for the leaves of one's own games among all entries of a log, as a witness does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from service.checkpoints import leaves

SAME: Final = "same"
FORKED: Final = "forked"
AHEAD: Final = "ahead"
REPEATED: Final = "repeated"

VERSIONS_AHEAD: Final = 256
"""The number of versions beyond those of a record that are looked for."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """A leaf of a game that was looked for: its index, the game's version, its place among the records, and a verdict.

    The verdict is `SAME` if the record says the same, `FORKED` if it has another history, `AHEAD` if the record does
    not reach so far, `REPEATED` if the log had a leaf of this version before.
    """

    index: int
    version: int
    record: int
    verdict: str


class Scan:
    """The tags to look for, and what has been seen of them.

    Args:
        records: the records of one's games, which the audit accepts.
        seen: the tags that were met by an earlier scan.
    """

    def __init__(self, records: Sequence[dict[str, Any]], seen: Iterable[bytes] = ()) -> None:
        self._wanted: dict[bytes, tuple[int, int, bytes | None]] = {}
        self.seen = set(seen)
        for place, record in enumerate(records):
            hashes = leaves.links(record)
            for version in range(len(hashes) + VERSIONS_AHEAD):
                head = hashes[version] if version < len(hashes) else None
                status = leaves.status_at(record, version)
                whole = None if head is None else leaves.entry(hashes[0], version, status, head)
                self._wanted[leaves.tag(hashes[0], version)] = (place, version, whole)

    def look(self, start: int, entries: Iterable[bytes]) -> Iterator[Sighting]:
        """Yield what there is to see in entries, the first of which has the index `start`."""
        for index, entry in enumerate(entries, start):
            tag = entry[:32]
            wanted = self._wanted.get(tag)
            if wanted is None:
                continue
            place, version, whole = wanted
            if whole is not None and entry != whole:
                verdict = FORKED
            elif tag in self.seen:
                verdict = REPEATED
            else:
                verdict = AHEAD if whole is None else SAME
            self.seen.add(tag)
            yield Sighting(index, version, place, verdict)
