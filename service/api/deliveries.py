"""``/v1/me/deliveries``: what became of the mails to one."""

from datetime import datetime
from typing import Any

from flask import jsonify

from engine.saying import Said
from service.api.auth import signed_in
from service.api.blueprint import Blueprint
from service.api.bodies import query
from service.api.fields import moment
from service.api.notification_schemas import DELIVERY_EXAMPLE, DeliveryPage
from service.api.paging import LINK_HEADER, PageQuery, decode_cursor, encode_cursor, page
from service.api.wording import asked_for
from service.language.languages import Language
from service.store.base import db
from service.store.deliveries import Delivery, listed

blp = Blueprint("deliveries", __name__, description="What became of the mails to you.")

_SENT = Said("It has left for your mail server.")
_QUEUED = Said("It is about to be sent.")
_REASONS = {
    "in_queue": _QUEUED,
    "mail_server": Said("The mail server has not taken it yet; it is tried again, for two days."),
    "for_digest": Said("It goes into your next daily digest."),
    "in_digest": Said("Your daily digest told it."),
    "refused": Said("The mail server refused it for good."),
    "given_up": Said("The mail server did not take it within two days."),
    "came_back": Said("It was sent and came back: it can’t be delivered to your address."),
    "came_back_for_now": Said("It was sent and came back, for a reason that says nothing against your address."),
    "stale": Said("When it was to be sent there was nothing to say any more."),
    "off": Said("You do not want such mails."),
    "never_mail": Said(
        "Your address is on the list of those who want no mail; signing in by a mailed code takes it off."
    ),
    "address": Said(
        "Mails to your address came back several times, so none are sent: sign in by a mailed code, or change your address."
    ),
}


@blp.route("/v1/me/deliveries", methods=["GET"])
@signed_in
@query(PageQuery)
@blp.response(200, DeliveryPage, example={"items": [DELIVERY_EXAMPLE], "next": None}, headers=LINK_HEADER)
def list_deliveries(account: str, query: dict[str, Any]) -> Any:
    """The mails to you and what became of each, the newest first.

    It reaches back 90 days. `detail` is said in the language of `Accept-Language`.
    """
    limit = query["limit"]
    before: tuple[datetime, str] | None = None
    if "cursor" in query:
        at, last = decode_cursor(query["cursor"], datetime, str)
        before = at, last
    found = listed(db.session(), account, before, limit + 1)
    following = encode_cursor(found[limit - 1].queued_at, found[limit - 1].key) if len(found) > limit else None
    speaking = asked_for()
    shown, headers = page([_shown(each, speaking) for each in found[:limit]], following)
    answer = jsonify(shown)
    answer.headers.extend(headers)
    answer.content_language.add(speaking.code)
    answer.vary.add("Accept-Language")
    return answer


def _shown(each: Delivery, speaking: Language) -> dict[str, Any]:
    otherwise = _SENT if each.state == "sent" else _QUEUED
    return {
        "kind": each.kind,
        "game": each.game,
        "state": each.state,
        "reason": each.reason,
        "detail": speaking.say(_REASONS.get(each.reason or "", otherwise)),
        "answer": each.answer,
        "queued_at": moment(each.queued_at),
        "at": moment(each.at),
    }
