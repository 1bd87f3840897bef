"""``/v1/sign-ins``: asking for a code."""

from typing import Any

from engine.saying import Said
from service.access.limits import Limit, network_of
from service.api.account_schemas import SignInAsked, SignInGiven
from service.api.blueprint import Blueprint
from service.api.bodies import body
from service.api.context import client_ip, limiter, now, settings
from service.api.wording import asked_for
from service.commands import sign_in
from service.store.unit import transaction

blp = Blueprint("sign-ins", __name__, description="Signing in by a code that is mailed.")

_ASKED = Said(
    "If mail can be sent to this address, a code is on its way; it is good for 15 minutes."
    " Change it for a token with POST /v1/tokens."
)


def mail_wait(email: str) -> int:
    """Counts one mail that this caller has sent to an address: 0 if it may go out, else seconds to wait.

    The IP is looked at first, so that one caller cannot use up what others may have sent to the address.
    """
    limits = settings()
    visitor = network_of(client_ip())
    return limiter().hit(Limit.SIGN_INS_PER_IP, limits.limit_sign_ins_per_ip, visitor) or limiter().hit(
        Limit.SIGN_INS_PER_ADDRESS, limits.limit_sign_ins_per_address, email
    )


@blp.route("/v1/sign-ins", methods=["POST"])
@body(SignInGiven, example={"email": "ann@example.org"})
@blp.response(202, SignInAsked, example={"detail": str(_ASKED)})
def ask_for_code(body: dict[str, Any]) -> Any:
    """Ask for a sign-in code by mail.

    The mail is in the language of the account or, where there is none, in the one that `Accept-Language` prefers.
    The answer is the same whether or not the address has an account, and whether or not a mail is sent: at most 5 go
    to an address in an hour, and at most 20 are sent for one IP. Codes that were mailed before stay good.
    """
    if not mail_wait(body["email"]):
        with transaction() as session:
            sign_in.send_code(session, body["email"], asked_for().code, now())
    speaking = asked_for()
    spoken = {"Content-Language": speaking.code, "Vary": "Accept-Language"}
    return {"detail": speaking.say(_ASKED)}, spoken
