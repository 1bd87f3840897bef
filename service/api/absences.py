"""``/v1/me/absences`` and ``/v1/me/back``: when a player is away."""

from dataclasses import asdict
from datetime import date, datetime
from typing import Any

from service.api.absence_schemas import (
    ABSENCE_EXAMPLE,
    AbsenceListSchema,
    AbsenceRequest,
    AbsenceSchema,
    AnnouncedAbsenceSchema,
    ReturnSchema,
)
from service.api.auth import signed_in
from service.api.blueprint import Blueprint
from service.api.bodies import body
from service.api.callers import refuse_caller, with_caller
from service.api.context import now, pool
from service.api.etags import conditional
from service.api.idempotent import idempotent
from service.api.json_response import list_response
from service.api.json_text import encode
from service.api.paging import TAG_HEADER
from service.clocks.absences import Period, days
from service.commands import absences as commands
from service.queries.quiet_times import absences_of, quiet_times_of
from service.store.callers import Bearer, KnownAccount
from service.store.unit import transaction

blp = Blueprint("absences", __name__, description="When you are away. Your clocks stand still meanwhile.")

_ABSENCE = AbsenceSchema()


@blp.route("/v1/me/absences", methods=["GET"])
@with_caller
@conditional
@blp.response(200, AbsenceListSchema, example={"items": [ABSENCE_EXAMPLE]}, headers=TAG_HEADER)
def list_absences(caller: Bearer) -> Any:
    """List your absences, including those of this year that are over."""
    found = absences_of(pool(), caller, now())
    if found is None:
        refuse_caller(caller)
    return list_response([encode(_ABSENCE.dump(each)) for each in found])


@blp.route("/v1/me/absences", methods=["POST"])
@signed_in
@body(AbsenceRequest, example={"from": "2027-08-02", "until": "2027-08-15"})
@idempotent
@blp.response(201, AnnouncedAbsenceSchema, example={**ABSENCE_EXAMPLE, "moved": False, "not_in": []})
def announce_absence(account: str, body: dict[str, Any]) -> Any:
    """Announce that you will be away.

    While you are away, your clocks stand still, except at tables that have ruled that out. The others at your tables
    see from when to when. It counts from 12 hours after now at the earliest; an earlier beginning is moved there. An
    absence lasts 24 hours to 21 days (422 `too_short`, `too_long`), it must not begin in the past (422 `past`) or
    overlap another one (422 `overlap`), although it may begin when the other ends, and those of a calendar year may
    have 30 days together (422 `allowance`). It ends within 550 days from now (422 `too_far`), and 20 may be announced
    that are not over (422 `too_many_absences`). A move does not end it; `POST /v1/me/back` does.
    """
    with transaction() as session:
        found = quiet_times_of(session, KnownAccount(account))
        assert found is not None, "the account is signed in"
        asked = _times(body["begins"], body["until"], found.zone, now())
        announced = commands.announce(session, account, asked, now())
        return {**asdict(announced.absence), "moved": announced.moved, "not_in": announced.games}


@blp.route("/v1/me/back", methods=["POST"])
@signed_in
@idempotent
@blp.response(200, ReturnSchema, example={"ended": [ABSENCE_EXAMPLE], "seats_taken_back": []})
def come_back(account: str) -> Any:
    """Come back.

    The absence that is on ends at once at all your tables, those that are ahead are called off, and you play again at
    the seats where a bot has played for you.
    """
    with transaction() as session:
        returned = commands.back(session, account, now())
        return {"ended": returned.ended, "seats_taken_back": returned.games}


def _times(begins: date | None, until: date, zone: str, at: datetime) -> Period:
    """Return the times of an absence; whole days are those of the zone."""
    last = until.date() if isinstance(until, datetime) else until
    whole = days(None if isinstance(begins, datetime) else begins, last, zone, at)
    return Period(
        begins if isinstance(begins, datetime) else whole.since,
        until if isinstance(until, datetime) else whole.until,
        None if isinstance(begins, datetime) or isinstance(until, datetime) else zone,
    )
