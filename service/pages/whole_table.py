"""The page of a table as it is cached: rendered once for all for whom it is the same, with slots for all else.

What a cached page contains follows from its `PageKey`: what its seat may see of the table, and nothing that belongs to
one viewer. Links, tokens, names of accounts, what was said and noted, and what the time is are put into its slots.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

from flask import url_for

from service.access.links import MoveLink
from service.api.context import settings
from service.language.happenings import happening
from service.language.languages import Reader, language
from service.language.people import People
from service.mail.checkpoints import sentences
from service.pages import exploring, script, story, table_buttons, table_view
from service.pages.changes import state_of
from service.pages.moving import Moving
from service.pages.page_addresses import PageAddresses, slotted_language
from service.pages.rendering import rendered
from service.pages.slots import slot
from service.pages.table_talk import Lists, Standing, talk_of
from service.pages.viewer import is_of_this_history
from service.queries import turn_context
from service.queries.checkpoint_notice import Notice, notice_of
from service.queries.table import LoadedTable

_MOST_TOLD = 12
"""The most sentences about what happened since a wait; the history below has the rest."""


class Me(NamedTuple):
    """The slots for what a page says of whoever is signed in, and whether that is a guest."""

    name: str
    is_guest: bool


class PageKey(NamedTuple):
    """The key of a cached page: all that the page of a table depends on, apart from its slots.

    Attributes:
        table: the state of the table.
        path: the path of the page.
        at: the move after which the table is shown; None: the last.
        why: the goal that is explained, as the query has it.
        language: the code of the language.
        zone: the time zone.
        seat: the seat of the viewer.
        has_account: whether the viewer is somebody.
        standing: how the viewer stands to the table.
        me: whether the browser is signed in, if only to another account than the link's, and whether as a guest.
        past: the version and head of the wait that the link was for, if that is over and the table is shown as it is.
        choices: whether the viewer is to move, and whether hints are wanted then; None: is not.
        lists: whether there are messages, notes, invitations and links.
        notice: the columns from which `service.queries.checkpoint_notice` makes the game's notice; None before the
            start.
    """

    table: Hashable
    path: str
    at: int | None
    why: str | None
    language: str
    zone: str
    seat: int | None
    has_account: bool
    standing: Standing
    me: bool | None
    past: tuple[int, str] | None
    choices: bool | None
    lists: Lists
    notice: tuple[Any, ...] | None


def render(table: LoadedTable, key: PageKey, choices: Moving | None) -> str:
    """Return the page of a table with its whole log, and with slots.

    Args:
        table: the table.
        key: what the page depends on.
        choices: what the player to move can choose, and has chosen.

    Raises:
        NoSuchGoal: no tile on a display has the goal that is to be explained (`service.pages.table_view`).
    """
    reader, addresses, at = Reader(language(key.language), key.zone), PageAddresses.slotted(key.path), key.at
    people = People(table.names, key.seat, reader.language)
    why = table_view.Why(key.why, lambda goal: addresses.goal(at, goal))
    over = table.status == "finished" and key.has_account
    is_running = table.status == "running" and table.table.clock is not None
    may_explore = key.standing.is_own and not key.standing.is_guest
    is_seen_by_another = key.seat is not None and key.me is not None and not key.standing.is_own
    notice = None if key.notice is None else notice_of(table, key.notice)
    facts = {
        **table_view.prepare(table, key.seat, reader, settings().base_url, at, addresses.moment, why),
        **_past(table, key, people),
    }
    return rendered(
        "table.html",
        reader,
        **facts,
        with_language=slotted_language,
        style=slot("style"),
        icon=slot("icon"),
        me=None if key.me is None else Me(slot("name"), key.me),
        reader_id=slot("reader"),
        here=key.path,
        is_guests_own=key.standing.is_guest and key.seat is not None,
        until=slot("until"),
        form=slot("form"),
        seen_as=people.called(key.seat) if key.seat is not None and is_seen_by_another else None,
        seen_on=None if at is not None else slot("seen"),
        script=url_for("script.show_script", v=script.version()),
        changes=addresses.below("/changes", f"seen={state_of(table)}"),
        seen=state_of(table),
        record=slot("record") if over else None,
        record_quoted=slot("record-quoted") if over else None,
        checkpoint=[] if notice is None else sentences(notice, reader),
        proof=_proof(table, notice),
        text=addresses.below("/text", "" if at is None else f"at={at}"),
        exploring=exploring.form(table, key.seat, at) if may_explore else None,
        story=story.prepare(table, people, addresses.moment) if at is None else None,
        rules=table.rules,
        pressing=addresses.below(),
        clock_line=slot("clock") if is_running else "",
        buttons=table_buttons.buttons(table, key.seat, people),
        may_press=key.standing.is_own,
        offers=table_buttons.offers(table, key.seat, people),
        moving=choices,
        talk=talk_of(table, key.seat, key.standing, key.lists, reader.language),
        action=addresses.below("/moves"),
    )


def _proof(table: LoadedTable, found: Notice | None) -> str | None:
    """Return the address of a public game's proofs, which needs no access token; None if there are none."""
    if found is None or found.commitment is None or table.table.visibility != "public" or table.table.kind != "match":
        return None
    return f"/v1/games/{table.table.id}/proof"


def _past(table: LoadedTable, key: PageKey, people: People) -> dict[str, Any]:
    """Describe what happened since the wait that a link to move was for, if that is over, and what can be done now."""
    if key.past is None:
        return {"past_wait": None, "since_wait": ()}
    say, running = people.language.say, table.status == "running"
    if running and table.state.turn == people.reader:
        now_what = say("It is your turn again: open the link in the newest mail, or sign in, to move.")
    else:
        now_what = say("This is the table as it is now.")
    past = MoveLink("", table.table.id, *key.past)
    return {"past_wait": now_what, "since_wait": told_since(table, past, people)}


def told_since(table: LoadedTable, past: MoveLink, people: People) -> list[str]:
    """Return sentences about what happened since a wait, the last ones; none if a restore has undone that wait."""
    made = turn_context.made(table)[past.version :] if is_of_this_history(table, past) else []
    told = [happening(each.step, people, each.by, each.covered_by) for _, each in made]
    return [sentence for sentence in told if sentence][-_MOST_TOLD:]
