"""The JSON of a game's clock, for one reader at one time. This module is on the hot path."""

from __future__ import annotations

import json
from datetime import datetime

from engine.clock.durations import render as written
from service.api.fields import moment
from service.queries import game_clock
from service.queries.table import LoadedTable

_encode = json.JSONEncoder(separators=(",", ":")).encode

_NONE = '{"clock":{"kind":"none"},"ladder":null,"quiet":true,"absences":true}'
"""The settings of a table without a clock."""


def render(table: LoadedTable, seat: int | None, at: datetime | None) -> bytes:
    """Return the clock of a table as UTF-8 JSON.

    Args:
        table: the table; of a solo, the clock is null.
        seat: the reader's seat, None for a reader without one.
        at: the time; None for a table that is shown as it was, whose clock shows nothing but its settings.
    """
    row = table.table
    if row.kind == "solo":
        return b"null"
    settings = row.clock or _NONE
    fixed = f'"settings":{settings},"abandoned_after":"{row.abandoned_after}"'
    if at is None or row.clock is None or table.status != "running":
        kind = json.loads(settings)["clock"]["kind"]
        left = ",".join(["null"] * row.seats)
        return (
            f'{{"kind":"{kind}","seat":null,"running":false,"stands_still_because":null,"stage":null,"left":[{left}],'
            f'"runs_out_at":null,"next":null,"away":[],"words":[],{fixed},"as_of":null}}'
        ).encode()
    shown = game_clock.view(table, at, seat)
    said = () if seat is None else game_clock.words(table)
    words = _encode([{"seat": word.seat, "for": written(word.duration)} for word in said])
    return f'{_encode(shown)[:-1]},"words":{words},{fixed},"as_of":"{moment(at)}"}}'.encode()
