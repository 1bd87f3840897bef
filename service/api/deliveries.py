"""``/v1/me/deliveries``: the delivery status of the mails to the caller."""

from datetime import datetime
from typing import Any

from engine.phrases import Phrase
from engine.record import stamp
from service.api.blueprint import Blueprint
from service.api.bodies import query
from service.api.callers import identified, with_caller
from service.api.context import pool
from service.api.etags import conditional
from service.api.flask_adapter import asked_language
from service.api.json_response import page_response
from service.api.json_text import encode
from service.api.notification_schemas import DELIVERY_EXAMPLE, DeliveryPage
from service.api.paging import PAGE_HEADERS, PageQuery, check_epoch, cut, encode_cursor, place_of
from service.language.languages import Language
from service.store.callers import Bearer
from service.store.deliveries import Delivery, listed

blp = Blueprint("deliveries", __name__, description="The delivery status of the mails to you.")

_SENT = Phrase("The mail server accepted it.")
_QUEUED = Phrase("It is about to be sent.")
_REASONS = {
    "in_queue": _QUEUED,
    "mail_server": Phrase("The mail server has not accepted it yet; we keep trying for two days."),
    "for_digest": Phrase("It goes into your next daily digest."),
    "in_digest": Phrase("It was part of your daily digest."),
    "refused": Phrase("The mail server refused it permanently."),
    "given_up": Phrase("The mail server did not accept it within two days."),
    "came_back": Phrase("It was sent and came back: it can’t be delivered to your address."),
    "came_back_for_now": Phrase("It was sent and came back, for a reason that says nothing against your address."),
    "stale": Phrase("When it was about to be sent, there was nothing left to tell."),
    "off": Phrase("You do not want such mails."),
    "never_mail": Phrase(
        "Your address is on the list of those that want no mail; to remove it, sign in with a mailed code."
    ),
    "address": Phrase(
        "Mails to your address came back several times, so none are sent: sign in with a mailed code, or change your"
        " address."
    ),
}


@blp.route("/v1/me/deliveries", methods=["GET"])
@with_caller
@query(PageQuery)
@conditional
@blp.response(200, DeliveryPage, example={"items": [DELIVERY_EXAMPLE], "next": None}, headers=PAGE_HEADERS)
def list_deliveries(caller: Bearer, query: dict[str, Any]) -> Any:
    """List the mails to you with the delivery status of each, newest first.

    The list goes back 90 days. `detail` is in the language that `Accept-Language` prefers.
    """
    limit = query["limit"]
    place = place_of(query, datetime, str)
    before = (place.parts[0], place.parts[1]) if place else None
    account, epoch, found = listed(pool(), caller, before, limit + 1)
    identified(caller, account)
    check_epoch(place, epoch)
    shown, last = cut(found, limit)
    following = None if last is None else encode_cursor(last.queued_at, last.key, of=epoch)
    speaking = asked_language()
    answer = page_response([encode(_shown(each, speaking)) for each in shown], following)
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
        "queued_at": stamp(each.queued_at),
        "at": stamp(each.at),
    }
