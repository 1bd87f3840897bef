"""GET /games/{id}: the table as a page, for everybody if it is public, else by the link that its players are mailed."""

from __future__ import annotations

from flask import Blueprint, Response, request
from sqlalchemy.orm import Session

from service.access.links import reader_of
from service.api.context import settings
from service.pages import table_view
from service.pages.rendering import not_found, page
from service.queries.table import load
from service.store.accounts import Account
from service.store.unit import transaction

blp = Blueprint("table_page", __name__)


@blp.get("/games/<id:game>")
def show_table(game: str) -> Response:
    """The page. A wrong link shows what no link shows; a GET changes nothing."""
    with transaction() as session:
        table = load(session, game)
        account = _linked_account(session, game)
        if table is None or not table.may_be_read_by(account):
            return not_found("There is no such table, or it is private: open it by the link in one of your mails.")
        return page("table.html", **table_view.prepare(table, account, settings().base_url))


def _linked_account(session: Session, game: str) -> str | None:
    """The account that the query's link was given to, None without a link to this table or once it was erased."""
    reader = reader_of(settings().secret_keys, request.args.get("link", ""))
    if reader is None or reader.table != game:
        return None
    account = session.get(Account, reader.account)
    return None if account is None or account.erased_at is not None else account.id
