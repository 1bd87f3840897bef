"""The page /tables/new: a player who is signed in opens a table."""

from __future__ import annotations

from flask import Blueprint, Response, request, url_for

from engine.clock.terms import ABANDONED_AFTER, PRESETS, Terms
from engine.errors import SetupError
from engine.game import goal_discs
from engine.phrases import Phrase
from service.api.context import bounds, now
from service.commands import matches, tables
from service.errors import Malformed, Refusal
from service.language.durations import duration
from service.pages.guard import needs_session
from service.pages.refusals import form_page
from service.pages.rendering import see_other
from service.queries.browser_sessions import BrowserSession
from service.store.unit import transaction

blp = Blueprint("new_table_page", __name__)

_UNFIT = Phrase("Nothing was opened: this form has a value that there is not. Choose again.")
_ALL_BOTS = Phrase("At least one seat is for you: choose fewer bots, or more seats.")


@blp.get("/tables/new")
@needs_session
def show_form(me: BrowserSession) -> Response:
    """Ask for the settings of a new table."""
    return _page(me)


@blp.post("/tables/new")
@needs_session
def open_table(me: BrowserSession) -> Response:
    """Open a table with the settings in the form, and show it."""
    form = request.form
    try:
        seats, bots = _choice("seats", (2, 3, 4)), _choice("bots", (0, 1, 2, 3))
        if bots >= seats:
            raise Malformed("too_many_bots", _ALL_BOTS)
        discs = "first_game" if "first_game" in form else "full"
        if form.get("clock", "none") not in ("none", *PRESETS):
            raise Malformed("unfit", _UNFIT)
        terms = None if form.get("clock", "none") == "none" else Terms.chosen(form["clock"])
        with transaction() as session:
            made = matches.open_match(
                session,
                me.account,
                tables.TableSettings(
                    seats=seats,
                    goal_discs=_discs(seats, discs),
                    visibility="private" if "private" in form else "public",
                    hints="no_hints" not in form,
                    terms=terms,
                    abandoned_after=ABANDONED_AFTER,
                ),
                bots=bots,
                now=now(),
                bounds=bounds(),
            )
            game = made.id
    except Refusal as refusal:
        return _page(me, refusal)
    return see_other(url_for("table_page.show_table", game=game))


def _choice(name: str, allowed: tuple[int, ...]) -> int:
    given = request.form.get(name, str(allowed[0]))
    found = next((each for each in allowed if str(each) == given), None)
    if found is None:
        raise Malformed("unfit", _UNFIT)
    return found


def _discs(seats: int, discs: str) -> int:
    try:
        return goal_discs(seats, discs)
    except SetupError as error:
        raise Malformed(error.code, error.phrase) from error


def _page(me: BrowserSession, wrong: Refusal | None = None) -> Response:
    """Return the page; `wrong` says why no table was opened, and the form keeps what was chosen."""
    clocks = [(name, duration(preset.per_wait, me.reader.language)) for name, preset in PRESETS.items()]
    return form_page("new_table.html", me.reader, "table", wrong, clocks=clocks)
