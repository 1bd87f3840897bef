"""The HTTP statuses of refusals: the title of each, and the name of its response in openapi.yaml.

They are listed here because ``http.HTTPStatus`` renames some from one Python version to the next, and the API
description must not change with that.
"""

from engine.phrases import Phrase

TITLES = {
    400: Phrase("Bad Request"),
    401: Phrase("Unauthorized"),
    403: Phrase("Forbidden"),
    404: Phrase("Not Found"),
    405: Phrase("Method Not Allowed"),
    406: Phrase("Not Acceptable"),
    408: Phrase("Request Timeout"),
    409: Phrase("Conflict"),
    410: Phrase("Gone"),
    412: Phrase("Precondition Failed"),
    413: Phrase("Content Too Large"),
    414: Phrase("URI Too Long"),
    415: Phrase("Unsupported Media Type"),
    422: Phrase("Unprocessable Content"),
    428: Phrase("Precondition Required"),
    429: Phrase("Too Many Requests"),
    431: Phrase("Request Header Fields Too Large"),
    500: Phrase("Internal Server Error"),
    503: Phrase("Service Unavailable"),
}


def component(status: int) -> str:
    """Return the name in ``components/responses`` of the refusals with this status."""
    return str(TITLES[status]).replace(" ", "")
