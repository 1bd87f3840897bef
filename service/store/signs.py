"""Store the signs of life of the service's parts, and the failures found by their gaps (CLOCKS.md 8.1).

All times are those of the database's clock. A forward jump of it looks like a gap, so it is given back like one (8.5).
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import Interval, bindparam, text
from sqlalchemy.orm import Session

from engine.clock.terms import LEAST_OUTAGE
from service.store.purging import deleted

WORKER, WEB, MAILIN, RELAY = PARTS = ("worker", "web", "mailin", "relay")
"""The parts that are watched. A database that is away takes the signs of all of them away."""

DATABASE = "database"

EVERY = 10.0
"""Seconds between two signs of a part."""

FAILS_AFTER = timedelta(seconds=30)
"""The age of its last sign from which a part fails."""

RELAY_FAILS_AFTER = timedelta(seconds=60)
"""The age of its last sign from which the mail server fails, which is asked less often and may be slow."""

KEPT = timedelta(days=400)
"""How long failures are kept, for the host alone, since a clock that is computed again reads them from the log."""


_ALIKE = timedelta(seconds=60)
"""Failures that begin and end within this time of one another have the same cause."""


class Failure(NamedTuple):
    """A failure of some parts that lasted longer than 15 minutes, from their last signs to their next ones.

    `ids` are the numbers of their rows, one for each part.
    """

    ids: tuple[int, ...]
    parts: tuple[str, ...]
    began_at: datetime
    ended_at: datetime

    def with_alike(self, other: Failure) -> Failure | None:
        """Return both as one failure if they have the same cause, such as a database that was away; else None."""
        if max(abs(self.began_at - other.began_at), abs(self.ended_at - other.ended_at)) > _ALIKE:
            return None
        return Failure(
            (*self.ids, *other.ids),
            tuple(sorted({*self.parts, *other.parts})),
            min(self.began_at, other.began_at),
            max(self.ended_at, other.ended_at),
        )


SIGN = """
    WITH instant AS (
        SELECT coalesce(CAST(%(now)s AS timestamptz), clock_timestamp()) AS now
    ), former AS (
        SELECT at FROM service_signs WHERE part = %(part)s FOR UPDATE
    ), gap AS (
        INSERT INTO failures (part, began_at, ended_at)
        SELECT %(part)s, at, now FROM former, instant WHERE now - at > %(least)s
        RETURNING id
    )
    INSERT INTO service_signs AS kept (part, at)
    SELECT %(part)s, now FROM instant WHERE (SELECT count(*) FROM gap) >= 0
    ON CONFLICT (part) DO UPDATE SET at = greatest(kept.at, excluded.at)
"""
"""The statement that stores a sign of a part; without a time (`now`) at the time of the database's clock.

If several processes sign for a part at once, one waits for the other and then finds no gap. The gap is counted in the
statement, so that it is looked for before the new sign replaces the former one.
"""


def arguments(part: str, now: datetime | None = None) -> dict[str, object]:
    """Return the arguments of `SIGN`."""
    return {"part": part, "now": now, "least": LEAST_OUTAGE}


def sign(session: Session, part: str, now: datetime) -> None:
    """Record that a part is alive; if its last sign is more than 15 minutes ago, record that it had failed."""
    session.connection().exec_driver_sql(SIGN, arguments(part, now))


_FORGET = text("DELETE FROM service_signs WHERE part <> ALL (:watched)")


def forget_all_but(session: Session, watched: Collection[str]) -> None:
    """Delete the signs of parts that are not watched, so that one that is used again later has not failed meanwhile."""
    session.execute(_FORGET, {"watched": list(watched)})


IS_SILENT = f"""
       at < now - CASE part WHEN 'relay' THEN interval '{RELAY_FAILS_AFTER.total_seconds():.0f} seconds'
                                         ELSE interval '{FAILS_AFTER.total_seconds():.0f} seconds' END"""
"""The condition for a row of `service_signs` that its part fails at the time `now`, a column beside it."""

_SILENT = text(f"SELECT part FROM service_signs, CAST(:now AS timestamptz) AS now WHERE {IS_SILENT}")


def failing(session: Session, now: datetime, watched: Collection[str]) -> list[str]:
    """Return those of the watched parts that fail now, sorted; a part that has never given a sign is not in use."""
    silent = session.scalars(_SILENT, {"now": now})
    return sorted(set(silent) & set(watched))


_UNSETTLED = text("""
    SELECT id, part, began_at, ended_at FROM failures WHERE settled_at IS NULL ORDER BY ended_at, id
""")


def unsettled(session: Session) -> list[Failure]:
    """Return the failures whose games are not noted yet, in the order in which the failures ended."""
    found: list[Failure] = []
    for id, part, began_at, ended_at in session.execute(_UNSETTLED):
        one = Failure((id,), (part,), began_at, ended_at)
        together = found[-1].with_alike(one) if found else None
        if together is None:
            found.append(one)
        else:
            found[-1] = together
    return found


_ALIKE_FAILING = text("""
    SELECT EXISTS (
        SELECT FROM service_signs
         WHERE part = ANY (:parts) AND at BETWEEN CAST(:began AS timestamptz) - :alike
               AND CAST(:began AS timestamptz) + :alike
    )
""").bindparams(bindparam("alike", type_=Interval))


def is_partial(session: Session, failure: Failure, now: datetime, watched: Collection[str]) -> bool:
    """Return whether other parts that failed with these may come back at any moment, so that it is one failure."""
    if now >= failure.ended_at + _ALIKE:
        return False
    values = {"parts": failing(session, now, watched), "began": failure.began_at, "alike": _ALIKE}
    return bool(session.scalar(_ALIKE_FAILING, values))


ANY_UNSETTLED = "EXISTS (SELECT FROM failures WHERE settled_at IS NULL)"
"""The condition that there is a failure whose games are not noted yet."""

_HAS_UNSETTLED = text(f"SELECT {ANY_UNSETTLED}")


def has_unsettled(session: Session) -> bool:
    """Return whether there is a failure whose games are not noted yet (`service.store.pending_outages`)."""
    return bool(session.scalar(_HAS_UNSETTLED))


_PURGE = text("""
    DELETE FROM failures WHERE ended_at <= :past AND settled_at IS NOT NULL
       AND ctid = ANY (ARRAY(SELECT ctid FROM failures WHERE ended_at <= :past LIMIT :most))
""")


def purge(session: Session, now: datetime, most: int) -> int:
    """Delete at most `most` old failures, and return how many were deleted."""
    return deleted(session, _PURGE, past=now - KEPT, most=most)
