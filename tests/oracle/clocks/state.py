"""The settings of a table, the entries of its log, and the stretch that is waited for (1, 2.1, section 12)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.oracle.clocks.quiet import Schedule
from tests.oracle.clocks.times import duration


@dataclass
class Settings:
    """The settings that a table has agreed on; `clock` and `ladder` are as in the mark `clock`."""

    bots: Sequence[bool]
    clock: dict[str, Any]
    ladder: dict[str, Any]
    quiet: bool = True
    absences: bool = True
    abandoned_after: int = duration("P90D")

    @property
    def kind(self) -> str:
        return str(self.clock["kind"])


@dataclass
class Entry:
    """An entry of the log; `turn` says who is to move after it, None if the game is over."""

    seq: int
    at: int
    seat: int | None
    kind: str
    turn: int | None
    data: dict[str, Any] | None = None
    by: str | None = None


@dataclass
class Segment:
    """A part of a stretch in which its clock went on from `left`; `more` begins another one."""

    since: int
    left: int
    charged_before: int
    by_more: bool = False


@dataclass
class Stretch:
    """The wait for a seat, since an entry."""

    seat: int
    wait: int
    began: int
    schedule: Schedule
    allowance: int
    segments: list[Segment]
    stage: str = "in_time"
    step_at: int = 0
    step_for: int = 0
    step_next: str | None = None
    ran_out: int = 0
    heard_from: int = 0  # an absence announced in nudge or grace before this instant counts after all (4.6)
