"""The page /unsubscribe, which the link in a mail, or the button of a mail program, leads to.

A GET only asks, since mail scanners follow links and run scripts; the POST acts. Both need the signed link, which says
whose mails they are, of what kind, and about which table. All that it allows is to choose when those mails come.
"""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, Response, request, url_for
from sqlalchemy import select
from sqlalchemy.orm import Session

from engine.phrases import Phrase
from service.access.links import UnsubscribeLink, unsubscribe_of
from service.api.context import now, settings
from service.commands import notifications
from service.language.languages import Reader, language
from service.language.people import display_name
from service.pages.cross_site import is_cross_site, refused
from service.pages.one_click import done, is_one_click
from service.pages.rendering import not_found, page, see_other, visitor
from service.queries.notifications import own_notifications
from service.queries.table import load
from service.store import delivery_preferences
from service.store.accounts import Account
from service.store.delivery_preferences import ANSWER, ANSWERS, AT_ONCE, DIGEST, KINDS, OFF, PROBLEMS, TABLE
from service.store.tables import Table
from service.store.unit import transaction

blp = Blueprint("unsubscribe_page", __name__)

_WRONG_LINK = Phrase(
    "This link is not complete or no longer valid, or its account was deleted. Open that of the newest mail, or copy "
    "all of it."
)

_FEWER = Phrase("You only get mails about what went wrong.")

_GAME, _KIND, _DIGEST, _UNDO = "game", "kind", "digest", "undo"
"""The names of the page's buttons."""


@dataclass(frozen=True, slots=True)
class _Choice:
    """The choice that a link allows: its subject, the reader, and the game's key (None: all games)."""

    of: UnsubscribeLink
    reader: Reader
    game: int | None


@blp.get("/unsubscribe")
def ask() -> Response:
    """Show how the mails that the link is about are delivered, and offer the other ways."""
    link = request.args.get("link", "")
    with transaction() as session:
        choice = _choice(session, link)
        if choice is None:
            return not_found(_WRONG_LINK, visitor())
        wanted = own_notifications(session, choice.of.account)
        of_game = None if choice.game is None else _of_game(session, choice.of, choice.game)
        return page(
            "unsubscribe.html",
            choice.reader,
            link=link,
            kind=choice.of.kind,
            others=_others(session, choice),
            of_game=of_game,
            of_kind=getattr(
                wanted, choice.of.kind, DIGEST if notifications.has_digest(session, choice.of.account) else OFF
            ),
        )


@blp.post("/unsubscribe")
def decide() -> Response:
    """Do what the page's button, or a mail program's one click, asks for, and show the new state."""
    link = request.args.get("link", "")
    with transaction() as session:
        choice = _choice(session, link)
        if choice is None:
            return not_found(_WRONG_LINK, visitor())
        if is_one_click():
            notifications.stop(session, choice.of.account, choice.of.kind, choice.game, now())
            return done(choice.reader, _FEWER) if choice.of.kind == ANSWER else done(choice.reader)
        if is_cross_site():
            return refused(choice.reader)
        _do(session, choice, request.form.get("do", ""))
    return see_other(url_for("unsubscribe_page.ask", link=link))


def _choice(session: Session, link: str) -> _Choice | None:
    of = unsubscribe_of(settings().secret_keys, link)
    account = None if of is None else session.get(Account, of.account)
    if of is None or account is None or account.erased_at is not None or of.kind not in (*KINDS, ANSWER, DIGEST, TABLE):
        return None
    game = None if of.table is None else session.scalar(select(Table.key).where(Table.id == of.table))
    if game is None and (of.table is not None or of.kind == TABLE):
        return None
    return _Choice(of, Reader(language(account.language), account.zone), game)


def _do(session: Session, choice: _Choice, what: str) -> None:
    """Do what a button asks for; any other value changes nothing."""
    account, kind, at = choice.of.account, choice.of.kind, now()
    if kind == ANSWER:
        _answers(session, choice, what)
    elif what == _GAME and choice.game is not None:
        notifications.change_game(session, account, choice.game, OFF, at)
    elif kind == TABLE:
        if what == _UNDO and choice.game is not None:
            notifications.change_game(session, account, choice.game, None, at)
    elif what == _KIND:
        notifications.stop(session, account, kind, None, at)
    elif kind in KINDS and what in (_DIGEST, _UNDO):
        notifications.change(session, account, {kind: DIGEST if what == _DIGEST else AT_ONCE}, at)
        if choice.game is not None:
            notifications.change_game(session, account, choice.game, None, at)


def _answers(session: Session, choice: _Choice, what: str) -> None:
    """Change how answers to the reader's own mails are delivered, as a button asks."""
    account, game = choice.of.account, choice.game
    if what == _GAME and game is not None:
        notifications.change_answers(session, account, game, PROBLEMS)
    elif what in ANSWERS:
        notifications.change(session, account, {ANSWER: what}, now())
        if game is not None:
            notifications.change_answers(session, account, game, None)


def _of_game(session: Session, of: UnsubscribeLink, game: int) -> str | None:
    find = delivery_preferences.answers_of_game if of.kind == ANSWER else delivery_preferences.of_game
    return find(session, of.account, game)


def _others(session: Session, choice: _Choice) -> str | None:
    """Return the names of the other players of the game that the link is about."""
    table = None if choice.of.table is None else load(session, choice.of.table)
    if table is None:
        return None
    names = (
        display_name(player.name, player.seat, choice.reader.language)
        for player in table.players
        if player.account != choice.of.account
    )
    return choice.reader.language.listed(names)
