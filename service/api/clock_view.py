"""The JSON of a game's clock, for one reader at one time. This module is on the hot path."""

from __future__ import annotations

import json
from datetime import datetime
from functools import lru_cache

from engine.clock.durations import render as written
from engine.record import stamp
from service.api.json_text import encode
from service.queries import game_clock
from service.queries.table import LoadedTable

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
    if at is None or row.clock is None or table.status != "running":
        return _at_rest(row.clock or _NONE, row.abandoned_after, row.seats)
    fixed = _fixed(row.clock, row.abandoned_after)
    shown = game_clock.view(table, at, seat)
    said = () if seat is None else game_clock.words(table)
    words = encode([{"seat": word.seat, "for": written(word.duration)} for word in said])
    return f'{encode(shown)[:-1]},"words":{words},{fixed},"as_of":"{stamp(at)}"}}'.encode()


def _fixed(settings: str, abandoned_after: str) -> str:
    return f'"settings":{settings},"abandoned_after":"{abandoned_after}"'


@lru_cache(maxsize=256)
def _at_rest(settings: str, abandoned_after: str, seats: int) -> bytes:
    """Return the clock of a table on which no time counts; nearly all tables have the same."""
    kind = json.loads(settings)["clock"]["kind"]
    left = ",".join(["null"] * seats)
    return (
        f'{{"kind":"{kind}","seat":null,"running":false,"stands_still_because":null,"stage":null,"left":[{left}],'
        f'"runs_out_at":null,"next":null,"away":[],"words":[],{_fixed(settings, abandoned_after)},"as_of":null}}'
    ).encode()
