"""Read and write the file in which a witness keeps how far it has scanned, and what it found, `nova-luna-scan/1`."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Final

from service.checkpoints.encoding import from_base64, to_base64
from service.checkpoints.leaves import ENTRY_BYTES
from service.checkpoints.tiles import HASH_BYTES, WIDTH, TreeBuilder

FORMAT: Final = "nova-luna-scan/1"

_FIELDS = {"format", "origin", "edges", "batch", "looked_for", "found"}


@dataclass(slots=True)
class ScanFile:
    """The state of a scan.

    Attributes:
        origin: the log.
        edges: the right edge of the tree of all entries that were read.
        batch: the last entry that was read; empty if the next one begins a batch.
        looked_for: the last version that was looked for, by the hash of each game's header in hex.
        found: the leaves of one's games: index and entry.
    """

    origin: str
    edges: list[bytes] = field(default_factory=list)
    batch: bytes = b""
    looked_for: dict[str, int] = field(default_factory=dict)
    found: list[tuple[int, bytes]] = field(default_factory=list)

    @property
    def size(self) -> int:
        """The number of entries that were read."""
        return TreeBuilder(self.edges).size

    @classmethod
    def parse(cls, data: bytes) -> ScanFile:
        """Return the state in some bytes; raise ValueError if they are not a state."""
        value: Any = json.loads(data.decode())
        if not isinstance(value, dict) or set(value) != _FIELDS or value["format"] != FORMAT:
            raise ValueError(f"this is not a file of a scan, {FORMAT}")
        edges = [from_base64(edge) for edge in value["edges"]]
        if any(len(edge) % HASH_BYTES or len(edge) >= WIDTH * HASH_BYTES for edge in edges):
            raise ValueError("the edges of a tree are hashes")
        found = [(int(index), bytes.fromhex(entry)) for index, entry in value["found"]]
        if any(len(entry) != ENTRY_BYTES for _, entry in found):
            raise ValueError("an entry has 64 bytes")
        looked_for = {str(game): int(version) for game, version in value["looked_for"].items()}
        return cls(str(value["origin"]), edges, bytes.fromhex(value["batch"]), looked_for, found)

    def text(self) -> str:
        """Return the content of the file."""
        value = {
            "format": FORMAT,
            "origin": self.origin,
            "edges": [to_base64(edge) for edge in self.edges],
            "batch": self.batch.hex(),
            "looked_for": self.looked_for,
            "found": [[index, entry.hex()] for index, entry in self.found],
        }
        return json.dumps(value, indent=1) + "\n"
