"""The talk at a table, and what else somebody who is signed in sees and does there, for its page.

What was said, and what a player has noted, differs from viewer to viewer, so the page has slots for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from flask import url_for

from service.access.links import invitation_link
from service.api.context import now, settings
from service.language.languages import Language
from service.language.people import display_name
from service.pages.browser import form_token
from service.pages.rendering import rendered
from service.pages.slots import Content, slot
from service.pages.viewer import Viewer
from service.queries import legal
from service.queries.invitations import SentInvitation, links, sent
from service.queries.table import LoadedTable, Player
from service.queries.table_page import BesideTable
from service.queries.talk import OwnNote, TableMessage
from service.store.base import db
from service.store.invitations import InvitationLink

SHOWN = 30
"""The number of messages and of notes that a page shows, the newest."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A message at the table: its author as it is shown, and the message."""

    author: str
    message: TableMessage


Lists = tuple[bool, bool, bool, bool]
"""True for each list of `Seen` that is not empty."""


class Seen(NamedTuple):
    """The talk at a table as one viewer sees it, newest first.

    Attributes:
        messages: what was said.
        notes: the viewer's own notes.
        invited: the invitations by mail that the viewer has sent to the open table.
        links: the viewer's open invitation links to it.
    """

    messages: Sequence[Spoken]
    notes: Sequence[OwnNote]
    invited: Sequence[SentInvitation]
    links: Sequence[InvitationLink]

    @property
    def lists(self) -> Lists:
        """The lists that are not empty, for the key of the cached page."""
        return bool(self.messages), bool(self.notes), bool(self.invited), bool(self.links)


class OpenLink(NamedTuple):
    """An invitation link that lets players in: its address, and how many more it lets in."""

    link: InvitationLink
    address: str
    left: int


class Standing(NamedTuple):
    """The standing of a viewer at a table, apart from the seat.

    Attributes:
        is_own: whether the viewer is signed in, and not just somebody with a link.
        is_guest: whether the viewer has no address, and plays solos.
        is_maker: whether the viewer has opened the table.
    """

    is_own: bool
    is_guest: bool
    is_maker: bool


@dataclass(frozen=True, slots=True)
class Talk:
    """The talk at a table, and what the viewer may do there.

    Attributes:
        players: the players' names, each with the address of their page; None for bots and deleted accounts.
        messages: the slot of the list of messages; empty if there are none.
        notes: the slot of the list of the viewer's own notes, likewise.
        may_speak: whether the viewer can send a message.
        may_note: whether the viewer can write notes.
        may_choose_mails: whether the viewer can choose which mails to get about the game.
        may_ask_again: whether the viewer can ask for a rematch.
        may_sign_in: whether the viewer is a player who has come by a link, and can do more once signed in.
        may_join: whether the viewer can take a seat.
        may_join_signed_in: whether the viewer could take one, once signed in with an address.
        may_leave: whether the viewer can leave the table or the game.
        may_invite: whether the viewer can invite others, by mail or by a link.
        invited: the slot of the list of invitations by mail to the open table that the viewer has opened, likewise.
        links: the slot of the list of open invitation links to it, likewise.
        closes: whether leaving closes the table, as it does for the player who has opened it.
    """

    players: tuple[tuple[str, str | None], ...]
    messages: str
    notes: str
    may_speak: bool
    may_note: bool
    may_choose_mails: bool
    may_ask_again: bool
    may_sign_in: bool
    may_join: bool
    may_join_signed_in: bool
    may_leave: bool
    may_invite: bool
    invited: str
    links: str
    closes: bool


def standing_of(table: LoadedTable, viewer: Viewer) -> Standing:
    """Return the role of a viewer at a table."""
    own = viewer.session
    is_maker = viewer.account is not None and table.table.maker == viewer.account
    return Standing(own is not None, own is not None and own.is_guest, is_maker)


def seen_by(viewer: Viewer, table: LoadedTable, beside: BesideTable) -> Seen:
    """Return the talk of a table that a viewer, who may see the table, sees. Only who is signed in sees notes."""
    row, language, is_match = table.table, viewer.reader.language, table.table.kind == "match"
    seat, standing = table.seat_of(viewer.account), standing_of(table, viewer)
    said, invites = beside.messages if is_match else (), _may_invite(table, seat, standing)
    return Seen(
        [Spoken(author(message, language), message) for message in said if message.said is not None],
        beside.notes if standing.is_own and seat is not None else (),
        sent(db.session(), row.key, None, SHOWN) if invites else (),
        [link for link in links(db.session(), row.key) if link.state(now()) == "open"] if invites else (),
    )


def talk_of(table: LoadedTable, seat: int | None, standing: Standing, lists: Lists, language: Language) -> Talk:
    """Return the talk at a table for the page of a viewer at a seat, with slots for the lists that are not empty."""
    row, own, is_guest = table.table, standing.is_own, standing.is_guest
    is_match, is_open = row.kind == "match", table.status == "open"
    sits = own and seat is not None
    has_room = seat is None and is_match and is_open and len(table.players) < row.seats
    plays = sits and table.status == "running" and not legal.has_left(table.state, seat or 0)
    slots = {name: slot(name) if any_ else "" for name, any_ in zip(Seen._fields, lists, strict=True)}
    return Talk(
        tuple((display_name(player.name, player.seat, language), _page_of(player)) for player in table.players),
        **slots,
        may_speak=sits and is_match and table.status != "closed",
        may_note=sits and not is_guest,
        may_choose_mails=sits and is_match and table.status != "closed",
        may_ask_again=sits and is_match and table.status == "finished",
        may_sign_in=not own and seat is not None and table.status in ("open", "running"),
        may_join=has_room and own and not is_guest,
        may_join_signed_in=has_room and (is_guest or not own),
        may_leave=(sits and is_match and is_open) or plays,
        may_invite=_may_invite(table, seat, standing),
        closes=is_open and standing.is_maker,
    )


def talk_slots(seen: Seen, table: LoadedTable, viewer: Viewer) -> dict[str, Content]:
    """Return the contents of the slots for what a viewer sees."""
    game, reader = table.table.id, viewer.reader
    is_own = viewer.session is not None and not viewer.session.is_guest

    def all_of(name: str, shown: Sequence[object]) -> str | None:
        """Return the page with all of a list, if this one may not be whole; it needs the session of an account."""
        return f"/games/{game}/all-{name}" if is_own and len(shown) >= SHOWN else None

    def own_links() -> str:
        shown = [OpenLink(link, invitation_link(settings(), link.id), link.uses - link.used) for link in seen.links]
        return rendered("talk_list.html", reader, links=shown, game=game, form=form_token())

    return {
        "messages": lambda: rendered(
            "talk_list.html", reader, messages=seen.messages, whole=all_of("messages", seen.messages)
        ),
        "notes": lambda: rendered(
            "talk_list.html",
            reader,
            notes=seen.notes,
            game=game,
            form=form_token(),
            whole=all_of("notes", seen.notes),
        ),
        "invited": lambda: rendered("talk_list.html", reader, invited=seen.invited),
        "links": own_links,
    }


def _may_invite(table: LoadedTable, seat: int | None, standing: Standing) -> bool:
    is_open_match = table.table.kind == "match" and table.status == "open"
    return standing.is_own and standing.is_maker and seat is not None and is_open_match


def _page_of(player: Player) -> str | None:
    return None if player.public_id is None else url_for("player_page.show_player", player=player.public_id)


def author(message: TableMessage, language: Language) -> str:
    """Return the author of a message as it is shown."""
    if message.seat is None and message.name is None:
        return language.say("Somebody who has left")
    return display_name(message.name, message.seat or 0, language)
