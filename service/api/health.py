"""``/healthz`` and ``/readyz``: for whoever watches over the service."""

from typing import Any

from marshmallow import fields

from engine.saying import said
from service.api.blueprint import Blueprint
from service.api.documented import refuses
from service.api.schema import Shown
from service.api.wording import about, together
from service.errors import Unavailable
from service.queries import readiness
from service.store.base import db

blp = Blueprint("health", __name__, description="Whether the service runs, and whether it can work.")

NO_STORE = {"Cache-Control": "no-store"}

ALIVE = {"status": "ok"}
"""What a process that lives says. It is said at once however much there is to do."""


class Health(Shown):
    """The process answers."""

    status = fields.String(required=True)


class Readiness(Shown):
    """The state of all that is needed."""

    status = fields.String(
        required=True,
        metadata={"enum": ["ready", "degraded"], "description": "Degraded: it works, but no mail leaves now."},
    )
    checks = fields.Dict(keys=fields.String(), values=fields.String(), required=True)


@blp.route("/healthz", methods=["GET"])
@blp.response(200, Health, example=ALIVE)
def get_health() -> Any:
    """Whether this process answers; it looks at nothing else."""
    return ALIVE, NO_STORE


@blp.route("/readyz", methods=["GET"])
@refuses(503)
@blp.response(
    200,
    Readiness,
    example={"status": "ready", "checks": {"database": "ok", "migrations": "ok", "worker": "ok", "mail": "ok"}},
)
def get_readiness() -> Any:
    """Whether database, migrations, worker and mail server are there.

    If one of the first three is not, 503 `not_ready` names what is wrong in `checks`; a database whose disk is full counts
    as that. A mail server that takes nothing makes the status `degraded` and nothing more: moves are taken, their mails
    wait, and whoever takes processes out of service by this address is not to take out all of them.
    """
    found = readiness.checks(db.session())
    checks = {part: str(state) for part, state in found.items()}
    amiss = {part: state for part, state in found.items() if state != readiness.OK}
    wrong = [about(part, state) for part, state in amiss.items()]
    if amiss.keys() - {"mail"}:
        raise Unavailable("not_ready", said("Not ready: %(wrong)s.", wrong=together(wrong)), checks=checks)
    return {"status": "degraded" if amiss else "ready", "checks": checks}, NO_STORE
