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
        self._wanted: dict[bytes, list[tuple[int, int, bytes | None]]] = {}
        self.seen = set(seen)
        for place, record in enumerate(records):
            hashes = leaves.links(record)
            for version in range(len(hashes) + VERSIONS_AHEAD):
                head = hashes[version] if version < len(hashes) else None
                status = leaves.status_at(record, version)
                whole = None if head is None else leaves.entry(hashes[0], version, status, head)
                self._wanted.setdefault(leaves.tag(hashes[0], version), []).append((place, version, whole))

    def look(self, start: int, entries: Iterable[bytes]) -> Iterator[Sighting]:
        """Yield what there is to see in entries, the first of which has the index `start`.

        If there are several records of a game, an entry is compared with each that reaches so far.
        """
        for index, entry in enumerate(entries, start):
            tag = entry[:32]
            wanted = self._wanted.get(tag)
            if wanted is None:
                continue
            told = [each for each in wanted if each[2] is not None]
            forked = [each for each in told if each[2] != entry]
            place, version, _ = (forked or told or wanted)[0]
            if forked:
                verdict = FORKED
            elif tag in self.seen:
                verdict = REPEATED
            else:
                verdict = SAME if told else AHEAD
            self.seen.add(tag)
            yield Sighting(index, version, place, verdict)
