"""The HTTP statuses of refusals: the title of each, and the name of its response in openapi.yaml.

They are listed here because ``http.HTTPStatus`` renames some from one Python version to the next, and the API
description must not change with that.
"""

from engine.saying import Said

TITLES = {
    400: Said("Bad Request"),
    401: Said("Unauthorized"),
    403: Said("Forbidden"),
    404: Said("Not Found"),
    405: Said("Method Not Allowed"),
    406: Said("Not Acceptable"),
    408: Said("Request Timeout"),
    409: Said("Conflict"),
    412: Said("Precondition Failed"),
    413: Said("Content Too Large"),
    414: Said("URI Too Long"),
    415: Said("Unsupported Media Type"),
    422: Said("Unprocessable Content"),
    428: Said("Precondition Required"),
    429: Said("Too Many Requests"),
    431: Said("Request Header Fields Too Large"),
    500: Said("Internal Server Error"),
    503: Said("Service Unavailable"),
}


def component(status: int) -> str:
    """Return the name in ``components/responses`` of the refusals with this status."""
    return str(TITLES[status]).replace(" ", "")
