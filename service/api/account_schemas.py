"""Schemas of sign-ins, access tokens and accounts, with examples that the OpenAPI document shows and the tests send."""

from marshmallow import fields

from service.api.example_players import PLAYER_IDS
from service.api.fields import Email, Moment, Name, SpokenLine, Whole
from service.api.schema import RequestSchema, ResponseSchema
from service.api.validators import Length, OneOf, Range
from service.language.languages import CODES
from service.store.accounts import SESSION, TOKEN

LONGEST_TOKEN_DAYS = 3650

_CODE = "The code from the mail, such as `8F3KQ-2ZT7M`; case, spaces and hyphens do not matter."


def _language(description: str) -> fields.String:
    return fields.String(validate=OneOf(CODES), metadata={"description": description})


def _code() -> fields.String:
    return fields.String(required=True, validate=Length(1, 40), metadata={"description": _CODE})


class SignInRequest(RequestSchema):
    """A request for a sign-in code."""

    email = Email(required=True)


class SignInAcceptedSchema(ResponseSchema):
    """The answer to every request for a sign-in code."""

    detail = fields.String(required=True)


class TokenRequest(RequestSchema):
    """A sign-in code, to be exchanged for an access token."""

    email = Email(required=True)
    code = _code()
    name = Name(metadata={"description": "For a new account; an existing account keeps its own."})
    language = _language("For a new account; an existing account keeps its own.")
    label = SpokenLine(60, metadata={"description": "Your name for this token, such as the device that it is for."})
    expires_in_days = Whole(
        validate=Range(1, LONGEST_TOKEN_DAYS),
        metadata={"description": "Without this, the token is valid until it is revoked."},
    )


class AccountSchema(ResponseSchema):
    """An account, as its owner sees it."""

    id = fields.String(required=True)
    email = fields.String(required=True)
    name = fields.String(required=True, allow_none=True)
    language = fields.String(required=True, metadata={"enum": list(CODES)})
    created_at = Moment(required=True)
    pending_email = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "A new address, until it is confirmed with the code mailed to it."},
    )
    mail_stopped_at = Moment(
        required=True,
        allow_none=True,
        metadata={
            "description": "When the service stopped sending you any mail but codes, because several mails to your"
            " address"
            " came back. To receive mail again, sign in with a mailed code, or change your address. Null: mail"
            " arrives, as"
            " far as the service knows."
        },
    )
    mail_stopped_because = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": "The status code (RFC 3463) with which the last of those mails came back, such as `5.1.1`."
        },
    )


TOKEN_KINDS = (TOKEN, SESSION)
"""What somebody can be signed in by."""


class NewTokenSchema(ResponseSchema):
    """A new access token. Its text is shown only this once."""

    token = fields.String(required=True, metadata={"description": "For `Authorization: Bearer`. Keep it secret."})
    id = fields.String(required=True, metadata={"description": "The id to revoke the token by."})
    label = fields.String(required=True, allow_none=True)
    created_at = Moment(required=True)
    expires_at = Moment(required=True, allow_none=True)
    account = fields.Nested(AccountSchema, required=True)


class TokenSchema(ResponseSchema):
    """An access token or a browser's session, without its text."""

    id = fields.String(required=True)
    kind = fields.String(
        required=True,
        metadata={
            "enum": list(TOKEN_KINDS),
            "description": "`token` for programs, or `session`: a browser that is signed in to the pages.",
        },
    )
    label = fields.String(required=True, allow_none=True)
    created_at = Moment(required=True)
    expires_at = Moment(required=True, allow_none=True)
    current = fields.Boolean(required=True, metadata={"description": "Whether this request was sent with it."})


class TokenPage(ResponseSchema):
    """A page of access tokens."""

    items = fields.List(fields.Nested(TokenSchema), required=True)
    next = fields.String(
        required=True, allow_none=True, metadata={"description": "The cursor of the next page; null on the last page."}
    )


class AccountChangeRequest(RequestSchema):
    """Changes to an account. Fields that are left out stay as they are."""

    name = Name(allow_none=True)
    language = _language("The language of your mails, and of the pages that their links open.")
    email = Email(
        metadata={"description": "A new address. It takes effect once you confirm it with the code mailed to it."}
    )


class EmailConfirmationRequest(RequestSchema):
    """The code that confirms a new address."""

    code = _code()


ACCOUNT_EXAMPLE = {
    "id": PLAYER_IDS["Ann"],
    "email": "ann@example.org",
    "name": "Ann",
    "language": "en",
    "created_at": "2026-11-27T20:56:00.123Z",
    "pending_email": None,
    "mail_stopped_at": None,
    "mail_stopped_because": None,
}

TOKEN_EXAMPLE = {
    "id": "h7VdXy2QkLwC",
    "label": "laptop",
    "created_at": "2026-11-27T20:56:00.123Z",
    "expires_at": "2027-11-27T20:56:00.123Z",
}
