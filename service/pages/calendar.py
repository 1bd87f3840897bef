"""The calendar ``GET /calendar.ics``: an account's deadlines, for the calendar program that has its link."""

from __future__ import annotations

import hashlib

from flask import Blueprint, Response, request
from sqlalchemy.orm import Session

from engine.phrases import Phrase
from service.access.limits import Hit, Limit
from service.access.links import CalendarLink, calendar_of
from service.api.context import limiter, now, settings
from service.api.flask_adapter import refused
from service.errors import LimitReached
from service.language.languages import Language, language
from service.pages.deadline_events import written
from service.pages.rendering import headed, not_found, visitor
from service.queries.calendars import deadlines, link_number
from service.store.accounts import Account
from service.store.unit import transaction

blp = Blueprint("calendar_page", __name__)

_NOT_HERE = Phrase("There is no such calendar, or its address was renewed.")
_TOO_OFTEN = Phrase("This calendar was read too often within an hour; try again later.")


@blp.get("/calendar.ics")
def show_calendar() -> Response:
    """Return the calendar of the account in the link, if that is the account's latest one."""
    asked = calendar_of(settings().secret_keys, request.args.get("link", ""))
    with transaction() as session:
        speaking = None if asked is None else _language_of(session, asked)
        if asked is None or speaking is None:
            return not_found(_NOT_HERE, visitor())
        most = settings().limit_calendar_reads_per_account
        try:
            hit = Hit(Limit.CALENDAR_READS_PER_ACCOUNT, most, asked.account)
            limiter().require([hit], "too_many_reads", _TOO_OFTEN, session)
        except LimitReached as reached:
            return headed(refused(reached))
        calendar = written(settings(), asked.account, deadlines(session, asked.account, now()), speaking)
    answer = headed(Response(calendar, mimetype="text/calendar"))
    answer.headers["Content-Disposition"] = 'inline; filename="nova-luna.ics"'
    answer.headers["Cache-Control"] = "private, max-age=300"
    answer.set_etag(hashlib.sha256(calendar).hexdigest()[:16])
    answer.make_conditional(request)
    return answer


def _language_of(session: Session, link: CalendarLink) -> Language | None:
    """Return the language of the account of a link, or None if the link is not the latest."""
    account = session.get(Account, link.account)
    is_latest = account is not None and link_number(session, link.account) == link.number
    return language(account.language) if account is not None and is_latest else None
