"""The page /tables/open: public tables with free seats, for everybody, with filters."""

from __future__ import annotations

from urllib.parse import urlencode

from flask import Blueprint, Response, request, url_for

from engine.clock.durations import render
from engine.clock.terms import PRESETS
from service.api.context import now
from service.language.durations import duration
from service.pages import kept_language
from service.pages.browser import signed_in
from service.pages.rendering import page, visitor
from service.pages.table_rows import newest, open_row, place_of
from service.queries import tables
from service.store.base import db
from service.store.callers import Bearer, Caller, KnownAccount

blp = Blueprint("open_tables_page", __name__)

SHOWN = 20
"""The number of tables on a page."""

_ROUNDS = 8
"""The number of windows that are examined for a page whose filters leave tables out."""

_SEATS = ("2", "3", "4")


@blp.get("/tables/open")
def show_open_tables() -> Response:
    """Show tables with free seats, the newest first; `seats` and `clock` filter them."""
    me, reader = signed_in(), visitor()
    caller: Caller = Bearer(None, now()) if me is None else KnownAccount(me.account)
    seats = request.args.get("seats", "")
    clock = request.args.get("clock", "")
    seats, clock = seats if seats in _SEATS else "", clock if clock in ("none", *PRESETS) else ""
    found = _found(caller, seats, clock, place_of(request.args.get("after", "")))
    shown, more = newest(found, SHOWN)
    kept = {name: value for name, value in (("seats", seats), ("clock", clock)) if value}
    return page(
        "open_tables.html",
        reader,
        rows=[open_row(each, reader.language) for each in shown],
        onward=None
        if more is None
        else f"{url_for('open_tables_page.show_open_tables')}?{urlencode(kept | {'after': str(more)})}",
        language_kept=kept_language.kept(),
        seats=seats,
        clock=clock,
        clocks=[(name, duration(preset.per_wait, reader.language)) for name, preset in PRESETS.items()],
    )


def _found(caller: Caller, seats: str, clock: str, place: tables.After) -> list[tables.ListedTable]:
    preset = PRESETS.get(clock)
    filters = tables.Filters(
        "match",
        "open",
        seats=int(seats) if seats else None,
        clock=clock or None if preset is None else preset.kind,
        per_wait=None if preset is None else render(preset.per_wait),
        free_seats=1,
    )
    session, found = db.session(), list[tables.ListedTable]()
    for _ in range(_ROUNDS):
        found += tables.listed(session, caller, filters, place, SHOWN + 1 - len(found)).tables
        until = None if len(found) > SHOWN else tables.looked_at_until(session, caller, filters, place)
        if until is None:
            break
        place = tables.After(until)
    return [each for each in found if each.visibility == "public"]
