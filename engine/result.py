"""The result of a game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Result:
    """The end of a game, as in its record.

    Attributes:
        reason: "discs" (4.1, 5.5), "tiles" (4.2, 5.5), "left" (4.3, 5.6) or "ended" (by the host, or abandoned).
        ranking: the seats, best first; None when ended, and in solo.
        discs_left: the goal discs left by seat.
        first_total: the total of a solo's first phase (5.3).
        second_total: the total of a solo's second phase (5.7).
        score: the score of a solo (5.7).
    """

    kind: str
    reason: str
    discs_left: tuple[int, ...]
    ranking: tuple[int, ...] | None = None
    first_total: int | None = None
    second_total: int | None = None
    score: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the result object of a record."""
        end: dict[str, Any] = {"reason": self.reason, "discs_left": list(self.discs_left)}
        if self.kind == "match":
            return end | {"ranking": None if self.ranking is None else list(self.ranking)}
        return end | {"first_total": self.first_total, "second_total": self.second_total, "score": self.score}
