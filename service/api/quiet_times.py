"""``/v1/me/quiet-times``: the times of the week in which a player's clocks stand still."""

from typing import Any

from flask import Response

from service.api.auth import signed_in
from service.api.blueprint import Blueprint
from service.api.bodies import body
from service.api.callers import refuse_caller, with_caller
from service.api.context import now, pool
from service.api.json_response import json_response
from service.api.openapi_annotations import refuses
from service.api.quiet_time_schemas import QUIET_TIMES_EXAMPLE, QuietTimesRequest, QuietTimesSchema
from service.commands import quiet_times as commands
from service.queries.quiet_times import QuietTimes, quiet_times_of
from service.store.callers import Bearer
from service.store.unit import transaction

blp = Blueprint(
    "quiet-times", __name__, description="When your clocks stand still every week, and no reminder is sent."
)

_REQUEST = {name: QUIET_TIMES_EXAMPLE[name] for name in ("zone", "quiet")}


@blp.route("/v1/me/quiet-times", methods=["GET"])
@with_caller
@blp.response(200, QuietTimesSchema, example=QUIET_TIMES_EXAMPLE)
def get_quiet_times(caller: Bearer) -> Any:
    """Get your quiet times. Nobody else can see them."""
    found = quiet_times_of(pool(), caller)
    if found is None:
        refuse_caller(caller)
    return _shown(found)


@blp.route("/v1/me/quiet-times", methods=["PUT"])
@signed_in
@body(QuietTimesRequest, example=_REQUEST)
@refuses(429)
@blp.response(200, QuietTimesSchema, example=QUIET_TIMES_EXAMPLE)
def set_quiet_times(account: str, body: dict[str, Any]) -> Any:
    """Set your quiet times, and your time zone.

    While it is quiet by the clock on the wall in your zone, your clocks stand still, except at tables that have ruled
    that out, and no reminder is sent. Where it is your turn already, the quiet times that you had when your turn came
    still count until you have moved. They may cover 112 hours of a week at most (422 `too_much_quiet`). You can set
    quiet times or your zone 6 times within 30 days (429 `too_often`), even if you set the same again.
    """
    with transaction() as session:
        return _shown(commands.change(session, account, body.get("zone"), body["quiet"], now()))


def _shown(found: QuietTimes) -> Response:
    quiet = [{name: window[name] for name in ("days", "from", "to")} for window in found.quiet]
    return json_response({"zone": found.zone, "quiet": quiet, "not_yet_in": found.not_yet_in})
