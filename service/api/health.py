"""``/healthz``, ``/readyz`` and ``/readyz/web``: liveness and readiness checks for monitoring."""

from typing import Any

from marshmallow import fields

from engine.phrases import Phrase, phrase
from service.api.blueprint import Blueprint
from service.api.openapi_annotations import refuses
from service.api.schema import ResponseSchema
from service.api.wording import about, together
from service.errors import Unavailable
from service.queries import readiness
from service.store.base import db

blp = Blueprint("health", __name__, description="Liveness and readiness of the service.")

NO_STORE = {"Cache-Control": "no-store"}

ALIVE = {"status": "ok"}
"""The body of ``/healthz``. It is sent at once, however busy the service is."""


READINESS = ("ready", "degraded")


class Health(ResponseSchema):
    """The liveness of the process."""

    status = fields.String(required=True)


class Readiness(ResponseSchema):
    """The state of everything that the service needs."""

    status = fields.String(
        required=True,
        metadata={
            "enum": list(READINESS),
            "description": "`degraded`: the service works, but can send no mail now.",
        },
    )
    checks = fields.Dict(keys=fields.String(), values=fields.String(), required=True)


@blp.route("/healthz", methods=["GET"])
@blp.response(200, Health, example=ALIVE)
def get_health() -> Any:
    """Check that this process answers; nothing else is checked."""
    return ALIVE, NO_STORE


@blp.route("/readyz", methods=["GET"])
@refuses(503)
@blp.response(
    200,
    Readiness,
    example={"status": "ready", "checks": {"database": "ok", "migrations": "ok", "worker": "ok", "mail": "ok"}},
)
def get_readiness() -> Any:
    """Check the database, its migrations, the worker and the mail server.

    If one of the first three fails, or the database's disk is full, the answer is 503 `not_ready`, and `checks`
    says what is wrong. If only the mail server fails, the status is 200 and `degraded`: moves are accepted and their
    mails wait, so a load balancer that reads this should keep the process in service.
    """
    return _answer(readiness.checks(db.session()))


@blp.route("/readyz/web", methods=["GET"])
@refuses(503)
@blp.response(200, Readiness, example={"status": "ready", "checks": {"database": "ok", "migrations": "ok"}})
def get_web_readiness() -> Any:
    """Check what this web server itself needs: the database and its migrations.

    This is for a load balancer in front of several web servers. If the worker, the mail server or room on the
    database's disk is missing, no other web server would do better, so none of them is checked.
    """
    return _answer(readiness.web_server_checks(db.session()))


def _answer(found: dict[str, Phrase]) -> Any:
    """Return the response that shows these checks.

    Raises:
        Unavailable: one other than that of the mail server fails.
    """
    checks = {part: str(state) for part, state in found.items()}
    amiss = {part: state for part, state in found.items() if state != readiness.OK}
    wrong = [about(part, state) for part, state in amiss.items()]
    if amiss.keys() - {"mail"}:
        raise Unavailable("not_ready", phrase("Not ready: %(wrong)s.", wrong=together(wrong)), checks=checks)
    return {"status": "degraded" if amiss else "ready", "checks": checks}, NO_STORE
