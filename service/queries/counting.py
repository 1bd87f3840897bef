"""Count rows up to a limit, which costs no more however many there are."""

from __future__ import annotations

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session


def count_up_to(session: Session, rows: Select[int] | Select[str], most: int) -> int:
    """Return the number of rows, counting no further than `most`."""
    return session.scalar(select(func.count()).select_from(rows.limit(most).subquery())) or 0
