"""The page GET /games/{id}: a public table for everybody, any other one by the link that its players are mailed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from flask import Blueprint, Response, request, url_for

from engine.phrases import Phrase
from service.access.links import MoveLink, record_link
from service.api.context import now, settings
from service.errors import Refusal
from service.language.clock_words import clock_line
from service.language.durations import UNKNOWN
from service.language.people import People
from service.language.story import happening
from service.mail.checkpoints import sentences
from service.pages import exploring, script, story, table_buttons, table_view
from service.pages.changes import state_of
from service.pages.cross_site import is_cross_site, refused
from service.pages.guard import refusal_of
from service.pages.moving import moving
from service.pages.rendering import not_found, page, see_other
from service.pages.table_talk import talk_of
from service.pages.viewer import Viewer, is_of_this_history, viewer_of
from service.queries import clock_shown, mail_context
from service.queries.checkpoint_notice import Notice, notice
from service.queries.recipients import player
from service.queries.table import LoadedTable, load
from service.store.unit import transaction

blp = Blueprint("table_page", __name__)

_NOT_HERE = Phrase(
    "There is no such table, or it is private: open it by the link in one of your mails, or in the browser that plays "
    "there, which has to keep its cookie."
)
NO_SUCH_GOAL = Phrase("This table has no such goal now.")
NO_SUCH_MOVE = Phrase("This game has no such move.")

_MOST_TOLD = 12
"""The most sentences about what happened since a wait; the history below has the rest."""

_NUMBER = re.compile("0|[1-9][0-9]{0,9}")


@blp.get("/games/<id:game>")
def show_table(game: str) -> Response:
    """Show the table, with `at` as it was after that move, and with `why` why a goal is met or not.

    A wrong link shows the same as no link.

    The player to move sees the choices too, and what a chosen move would do.
    """
    with transaction() as session:
        table, viewer = load(session, game), viewer_of(session, game)
        if table is None or not table.may_be_read_by(viewer.account):
            return not_found(_NOT_HERE, viewer.reader)
        wait = viewer.wait_at(table)
        to = player(session, viewer.account) if wait is not None else None
        talk = talk_of(session, table, viewer, viewer.reader.language) if "at" not in request.args else None
        found = None if table.header is None else notice(session, table)
    known, reader = viewer.account, viewer.reader

    def address(at: int | None) -> str:
        return url_for("table_page.show_table", game=game, at=at, link=viewer.link, _anchor="board")

    def choosing(choice: Mapping[str, int | str]) -> str:
        return url_for("table_page.show_table", game=game, **choice, link=viewer.link, _anchor="move")  # type: ignore[arg-type]

    at = asked_move(table) if "at" in request.args else None
    if "at" in request.args and at is None:
        return not_found(NO_SUCH_MOVE, reader, onward=address(None))

    def explaining(goal: str | None) -> str:
        anchor = "board" if goal is None else "why"
        return url_for("table_page.show_table", game=game, at=at, why=goal, link=viewer.link, _anchor=anchor)

    over = table.status == "finished" and known is not None
    seat = table.seat_of(known)
    people = People(tuple(table.name_of(each) for each in range(table.table.seats)), seat, reader.language)
    why = table_view.Why(request.args.get("why") if table.header is not None else None, explaining)
    try:
        shown = table_view.prepare(table, known, reader, settings().base_url, at, address, why)
    except table_view.NoSuchGoal:
        return not_found(NO_SUCH_GOAL, reader, onward=address(at))
    choices = None
    if wait is not None and at is None:
        hints, keys = table.table.hints and (to is None or to.hints), settings().secret_keys
        choices = moving(table, wait, people, request.args, choosing, hints=hints, keys=keys, now=now())
    return page(
        "table.html",
        reader,
        200 if choices is None or not choices.problem else 422,
        **shown,
        **_past(table, viewer, wait, people),
        policy=script.POLICY,
        script=url_for("script.show_script", v=script.version()),
        changes=url_for("changes_page.stream_changes", game=game, seen=state_of(table), link=viewer.link),
        seen=state_of(table),
        seen_at=None if at is not None else now(),
        record=record_link(settings(), game) if over else None,
        checkpoint=[] if found is None else sentences(found, reader),
        proof=_proof(table, found),
        text=url_for("game_text.show_text", game=game, at=at, link=viewer.link),
        link=viewer.link,
        exploring=_exploring(table, viewer, at),
        story=story.prepare(table, people, address) if at is None else None,
        rules=table.rules,
        pressing=url_for("table_page.press_button", game=game, link=viewer.link),
        clock_line=_clock(table, people, UNKNOWN if known is None else reader.zone),
        buttons=table_buttons.buttons(table, seat, people),
        offers=table_buttons.offers(table, seat, people),
        moving=choices,
        talk=talk,
        action=url_for("moves_page.make_move", game=game, link=viewer.link),
    )


@blp.post("/games/<id:game>")
def press_button(game: str) -> Response:
    """Do what a button of a player's page says, and show the page again; a refusal changes nothing."""
    with suppress(Refusal), transaction() as session:
        viewer = viewer_of(session, game)
        if viewer.account is None or viewer.is_suspended:
            return not_found(_NOT_HERE, viewer.reader)
        if is_cross_site():
            return refused(viewer.reader)
        if viewer.link is None and viewer.session is not None and (refusal := refusal_of(viewer.session)):
            return refusal
        table = load(session, game)
        seat = None if table is None else table.seat_of(viewer.account)
        if table is not None and seat is not None:
            table_buttons.press(session, table, seat, request.form.get("do", ""), now())
    return see_other(url_for("table_page.show_table", game=game, link=request.args.get("link")))


def _exploring(table: LoadedTable, viewer: Viewer, at: int | None) -> exploring.Exploring | None:
    """Return the form by which an exploration begins; None for who has no account, or is not signed in."""
    if viewer.session is None or viewer.session.is_guest:
        return None
    return exploring.form(table, viewer.account, at)


def _proof(table: LoadedTable, found: Notice | None) -> str | None:
    """Return the address of a public game's proofs, which needs no access token; None if there are none."""
    if found is None or found.commitment is None or table.table.visibility != "public" or table.table.kind != "match":
        return None
    return f"/v1/games/{table.table.id}/proof"


def _clock(table: LoadedTable, people: People, zone: str) -> str:
    """Return a line about the time left in a running game, as its reader may know it; empty if there is no clock."""
    clock = clock_shown.shown(table, people.reader, now())
    return "" if clock is None else clock_line(clock, people, zone)


def asked_move(table: LoadedTable) -> int | None:
    """Return the move that `at` names, without it the last one; None if this table has none with that number."""
    asked = request.args.get("at", str(table.version))
    at = int(asked) if _NUMBER.fullmatch(asked) else -1
    return at if table.header is not None and 0 <= at <= table.version else None


def _past(table: LoadedTable, viewer: Viewer, wait: MoveLink | None, people: People) -> dict[str, Any]:
    """Return what happened since the wait that a link to move was for, if that is over, and what can be done now."""
    past = viewer.wait
    if past is None or wait is not None or table.header is None:
        return {"past_wait": None, "since_wait": ()}
    say, running = people.language.say, table.status == "running"
    if running and table.state.turn == people.reader:
        now_what = say("It is your turn again: open the link in the newest mail, or sign in, to move.")
    else:
        now_what = say("This is the table as it is now.")
    made = mail_context.made(table)[past.version :] if is_of_this_history(table, past) else []
    told = [happening(each.step, people, each.by, each.covered_by) for _, each in made]
    return {"past_wait": now_what, "since_wait": [sentence for sentence in told if sentence][-_MOST_TOLD:]}
