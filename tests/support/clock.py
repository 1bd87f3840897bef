"""The clocks of tests: one that only tests move, and that of the machine."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

NOW = datetime(2026, 11, 27, 20, 56, 0, 123_456, tzinfo=UTC)


def utcnow() -> datetime:
    """Return the time of this machine in UTC, for tests of a service that lives for a while."""
    return datetime.now(UTC)


@dataclass
class Clock:
    """A callable clock that returns the time that a test has set."""

    now: datetime = NOW

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **span: float) -> None:
        """Advance by days, hours, minutes or seconds, as `timedelta` takes them."""
        self.now += timedelta(**span)
