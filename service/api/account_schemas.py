"""What sign-ins, tokens and accounts look like, with the examples that the document shows and the tests send."""

from marshmallow import fields

from service.api.bounds import Length, OneOf, Range
from service.api.fields import Email, Moment, Name, SpokenLine, Whole
from service.api.schema import Given, Shown
from service.language.languages import CODES

LONGEST_TOKEN_DAYS = 3650

_CODE = "As mailed, such as `8F3KQ-2ZT7M`; case, spaces and hyphens do not matter."


def _language(description: str) -> fields.String:
    return fields.String(validate=OneOf(CODES), metadata={"description": description})


def _code() -> fields.String:
    return fields.String(required=True, validate=Length(1, 40), metadata={"description": _CODE})


class SignInGiven(Given):
    """Asks for a code."""

    email = Email(required=True)


class SignInAsked(Shown):
    """What every asking for a code is answered with."""

    detail = fields.String(required=True)


class TokenGiven(Given):
    """Changes a code for a token."""

    email = Email(required=True)
    code = _code()
    name = Name(metadata={"description": "For an account that is made now; one that is there keeps its own."})
    language = _language("For an account that is made now; one that is there keeps its own.")
    label = SpokenLine(60, metadata={"description": "What you call this token, such as the device it is for."})
    expires_in_days = Whole(
        validate=Range(1, LONGEST_TOKEN_DAYS), metadata={"description": "Without it the token holds until revoked."}
    )


class AccountShown(Shown):
    """An account, as its owner sees it."""

    id = fields.String(required=True)
    email = fields.String(required=True)
    name = fields.String(required=True, allow_none=True)
    language = fields.String(required=True, metadata={"enum": list(CODES)})
    created_at = Moment(required=True)
    pending_email = fields.String(
        required=True, allow_none=True, metadata={"description": "An address that waits for the code mailed to it."}
    )
    mail_stopped_at = Moment(
        required=True,
        allow_none=True,
        metadata={
            "description": "Since when you get no mail but codes, as mails to your address came back several times: sign in"
            " by a mailed code, or change your address. Null: mail arrives, as far as is known."
        },
    )
    mail_stopped_because = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": "The status (RFC 3463) with which the last of those mails came back, such as `5.1.1`."
        },
    )


class TokenMade(Shown):
    """A new token; its text is shown this once."""

    token = fields.String(required=True, metadata={"description": "For `Authorization: Bearer`. Keep it secret."})
    id = fields.String(required=True, metadata={"description": "To revoke it with."})
    label = fields.String(required=True, allow_none=True)
    created_at = Moment(required=True)
    expires_at = Moment(required=True, allow_none=True)
    account = fields.Nested(AccountShown, required=True)


class TokenShown(Shown):
    """A token, without its text."""

    id = fields.String(required=True)
    label = fields.String(required=True, allow_none=True)
    created_at = Moment(required=True)
    expires_at = Moment(required=True, allow_none=True)
    current = fields.Boolean(required=True, metadata={"description": "Whether this request came with it."})


class TokenPage(Shown):
    """A page of tokens."""

    items = fields.List(fields.Nested(TokenShown), required=True)
    next = fields.String(required=True, allow_none=True, metadata={"description": "The cursor of the next page."})


class AccountGiven(Given):
    """Changes of an account; what is not named stays."""

    name = Name(allow_none=True)
    language = _language("Of mails, and of pages opened by their links.")
    email = Email(metadata={"description": "A new address. It is taken over once the code mailed to it came back."})


class EmailCodeGiven(Given):
    """Confirms a new address."""

    code = _code()


ACCOUNT_EXAMPLE = {
    "id": "3kTmWq8ZbNpR",
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
