"""``/v1/sign-ins``: ask for a sign-in code."""

from typing import Any

from engine.phrases import Phrase
from service.api.account_schemas import SignInAcceptedSchema, SignInRequest
from service.api.blueprint import Blueprint
from service.api.bodies import body
from service.api.context import code_limits, now
from service.api.flask_adapter import asked_language
from service.api.openapi_annotations import refuses
from service.commands import sign_in
from service.store.unit import transaction

blp = Blueprint("sign-ins", __name__, description="Signing in with a mailed code.")

_ASKED = Phrase(
    "If mail can be sent to this address, a code is on its way or, if many were asked for, came within the last 10"
    " minutes; it is good for 15 minutes. Exchange it for an access token with POST /v1/tokens."
)


@blp.route("/v1/sign-ins", methods=["POST"])
@body(SignInRequest, example={"email": "ann@example.org"})
@refuses(429)
@blp.response(202, SignInAcceptedSchema, example={"detail": str(_ASKED)})
def ask_for_code(body: dict[str, Any]) -> Any:
    """Ask for a sign-in code by mail.

    The mail is in the language of the account or, if there is no account, in the one that `Accept-Language` prefers.
    The answer is the same whether or not the address has an account. An IP address, or the /64 of an IPv6 address, may
    ask for 20 codes an hour (429 `too_many_sign_ins`). Of these, 5 may go to the same email address, which is mailed 15
    an hour in all. After that, one more is mailed every ten minutes, and codes that were mailed before stay valid, so
    that nobody can lock somebody else out by asking for codes.
    """
    with transaction() as session:
        if code_limits().may_mail_sign_in(session, body["email"]):
            sign_in.send_code(session, body["email"], asked_language().code, now())
    speaking = asked_language()
    spoken = {"Content-Language": speaking.code, "Vary": "Accept-Language"}
    return {"detail": speaking.say(_ASKED)}, spoken
