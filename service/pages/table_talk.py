"""The talk at a table, and what else somebody who is signed in sees and does there, for its page."""

from __future__ import annotations

from dataclasses import dataclass

from flask import url_for
from sqlalchemy.orm import Session

from service.language.languages import Language
from service.language.people import display_name
from service.pages.viewer import Viewer
from service.queries import legal
from service.queries.invitations import SentInvitation, sent
from service.queries.table import LoadedTable, Player
from service.queries.talk import OwnNote, TableMessage, kept_notes, messages
from service.store.callers import Bearer, Known

SHOWN = 30
"""The number of messages and of notes that a page shows, the newest."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A message at the table: its author as it is shown, and the message."""

    author: str
    message: TableMessage


@dataclass(frozen=True, slots=True)
class Talk:
    """The talk at a table, and what the viewer may do there.

    Attributes:
        players: the players' names, each with the address of their page; None for bots and deleted accounts.
        messages: the messages, the newest first.
        notes: the viewer's own notes, the newest first.
        may_speak: whether the viewer can send a message.
        may_note: whether the viewer can write notes.
        may_ask_again: whether the viewer can ask for a rematch.
        may_join: whether the viewer can take a seat.
        may_leave: whether the viewer can leave the table or the game.
        may_invite: whether the viewer can invite others, by mail or by a link.
        invited: the newest invitations by mail to the open table that the viewer has opened.
        closes: whether leaving closes the table, as it does for the player who has opened it.
    """

    players: tuple[tuple[str, str | None], ...]
    messages: tuple[Spoken, ...]
    notes: tuple[OwnNote, ...]
    may_speak: bool
    may_note: bool
    may_ask_again: bool
    may_join: bool
    may_leave: bool
    may_invite: bool
    invited: tuple[SentInvitation, ...]
    closes: bool


def talk_of(session: Session, table: LoadedTable, viewer: Viewer, language: Language) -> Talk:
    """Return the talk at a table that the viewer may see. Only who is signed in sees notes and can do anything."""
    row, seat, own = table.table, table.seat_of(viewer.account), viewer.session is not None
    caller = Bearer(None, row.created_at) if viewer.account is None else Known(viewer.account)
    is_match, is_open = row.kind == "match", table.status == "open"
    said = messages(session, caller, row.id, None, SHOWN).messages if is_match else []
    sits = own and seat is not None
    is_guest = viewer.session is not None and viewer.session.is_guest
    notes = kept_notes(session, caller, row.id, None, SHOWN).notes if sits else []
    may_invite = sits and is_match and is_open and row.maker == viewer.account
    plays = sits and table.status == "running" and not legal.has_left(table.state, seat or 0)
    return Talk(
        tuple((display_name(player.name, player.seat, language), _page_of(player)) for player in table.players),
        tuple(Spoken(_author(message, language), message) for message in said if message.said is not None),
        tuple(notes),
        may_speak=sits and is_match and table.status != "closed",
        may_note=sits and not is_guest,
        may_ask_again=sits and is_match and table.status == "finished",
        may_join=own and not is_guest and seat is None and is_match and is_open and len(table.players) < row.seats,
        may_leave=(sits and is_match and is_open) or plays,
        may_invite=may_invite,
        invited=tuple(sent(session, row.key, None, SHOWN)) if may_invite else (),
        closes=is_open and row.maker == viewer.account,
    )


def _page_of(player: Player) -> str | None:
    return None if player.public_id is None else url_for("player_page.show_player", player=player.public_id)


def _author(message: TableMessage, language: Language) -> str:
    if message.seat is None and message.name is None:
        return language.say("Somebody who has left")
    return display_name(message.name, message.seat or 0, language)
