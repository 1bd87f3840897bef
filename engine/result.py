"""How a game ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Result:
    """The end of a game, as its record has it.

    `reason` is "discs" (4.1, 5.5), "tiles" (4.2, 5.5), "left" (4.3, 5.6) or "ended" (by the host, or abandoned).
    `ranking` are the seats, best first; None when ended, and in solo. `discs_left` is by seat. The totals and the
    score are solo's (5.3, 5.7).
    """

    kind: str
    reason: str
    discs_left: tuple[int, ...]
    ranking: tuple[int, ...] | None = None
    first_total: int | None = None
    second_total: int | None = None
    score: int | None = None

    def to_json(self) -> dict[str, Any]:
        """The record's result object."""
        end: dict[str, Any] = {"reason": self.reason, "discs_left": list(self.discs_left)}
        if self.kind == "match":
            return end | {"ranking": None if self.ranking is None else list(self.ranking)}
        return end | {"first_total": self.first_total, "second_total": self.second_total, "score": self.score}
