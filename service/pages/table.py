"""GET /games/{id}: the table as a page, for everybody if it is public, else by the link that its players are mailed."""

from __future__ import annotations

from flask import Blueprint, Response, request
from sqlalchemy.orm import Session

from engine.saying import Said
from service.access.links import reader_of
from service.api.context import settings
from service.language.languages import Reader, language
from service.pages import table_view
from service.pages.rendering import not_found, page, visitor
from service.queries.table import load
from service.store.accounts import Account
from service.store.unit import transaction

blp = Blueprint("table_page", __name__)

_NOT_HERE = Said("There is no such table, or it is private: open it by the link in one of your mails.")


@blp.get("/games/<id:game>")
def show_table(game: str) -> Response:
    """The page. A wrong link shows what no link shows; a GET changes nothing."""
    with transaction() as session:
        table = load(session, game)
        account = _linked_account(session, game)
        reader = visitor() if account is None else Reader(language(account.language))
        known = None if account is None else account.id
        if table is None or not table.may_be_read_by(known):
            return not_found(_NOT_HERE, reader)
        return page("table.html", reader, **table_view.prepare(table, known, reader, settings().base_url))


def _linked_account(session: Session, game: str) -> Account | None:
    """The account that the query's link was given to, None without a link to this table or once it was erased."""
    reader = reader_of(settings().secret_keys, request.args.get("link", ""))
    if reader is None or reader.table != game:
        return None
    account = session.get(Account, reader.account)
    return None if account is None or account.erased_at is not None else account
