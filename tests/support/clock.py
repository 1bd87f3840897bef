"""A clock that stands still until a test moves it."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

NOW = datetime(2026, 11, 27, 20, 56, 0, 123_456, tzinfo=UTC)


@dataclass
class Clock:
    """A clock that is called for the time, and that a test sets or advances."""

    now: datetime = NOW

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **span: float) -> None:
        """Move on by days, hours, minutes or seconds, as `timedelta` takes them."""
        self.now += timedelta(**span)
