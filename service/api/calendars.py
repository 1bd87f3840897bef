"""``/v1/me/calendar``: the address of the calendar with the caller's deadlines."""

from typing import Any

from marshmallow import fields

from service.access.links import calendar_link
from service.api.auth import signed_in
from service.api.blueprint import Blueprint
from service.api.context import settings
from service.api.schema import ResponseSchema
from service.commands import calendars
from service.errors import Unauthorized
from service.queries.calendars import link_number
from service.store.base import db
from service.store.unit import transaction

blp = Blueprint("calendar", __name__, description="Your deadlines, for a calendar program to subscribe to.")

_EXAMPLE = {"url": "https://nova-luna.example.org/calendar.ics?link=WyJBY0NvVW50MjM0NTYiLDBd.x8Gk2M1qWzVv3r8ZgkT0aBcDe"}


class CalendarSchema(ResponseSchema):
    """The address of a calendar."""

    url = fields.String(
        required=True,
        metadata={
            "description": "Where the calendar is (iCalendar, RFC 5545). Whoever knows this address can read it.",
            "format": "uri",
        },
    )


@blp.route("/v1/me/calendar", methods=["GET"])
@signed_in
@blp.response(200, CalendarSchema, example=_EXAMPLE)
def get_calendar(account: str) -> Any:
    """Get the address of your calendar.

    Calendar programs subscribe to it: it has an event for each of your deadlines in running games, which is moved when
    the deadline moves, and removed when it is over. The address contains a secret, and needs no access token. It may be
    read 120 times an hour.
    """
    number = link_number(db.session(), account)
    if number is None:
        raise Unauthorized("account_gone", "The account was deleted.")
    return _shown(account, number)


@blp.route("/v1/me/calendar", methods=["POST"])
@signed_in
@blp.response(200, CalendarSchema, example=_EXAMPLE)
def renew_calendar(account: str) -> Any:
    """Get a new address for your calendar. The old one stops working at once (404)."""
    with transaction() as session:
        return _shown(account, calendars.renew(session, account))


def _shown(account: str, number: int) -> dict[str, str]:
    return {"url": calendar_link(settings(), account, number)}
