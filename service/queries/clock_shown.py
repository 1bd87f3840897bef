"""Read a game's clock as one of its players may see it."""

from __future__ import annotations

import json

from engine.clock.terms import Terms
from service.queries.loaded import LoadedTable


def terms(table: LoadedTable) -> Terms | None:
    """Return what a table agreed on; None if it has no clock."""
    return None if table.table.clock is None else Terms.from_json(json.loads(table.table.clock))
