"""The HTTP statuses of refusals: the title of each, and the name of its description in openapi.yaml.

Held here because ``http.HTTPStatus`` renames some from one Python to the next, and the contract must not change
with that.
"""

TITLES = {
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    406: "Not Acceptable",
    408: "Request Timeout",
    409: "Conflict",
    412: "Precondition Failed",
    413: "Content Too Large",
    414: "URI Too Long",
    415: "Unsupported Media Type",
    422: "Unprocessable Content",
    428: "Precondition Required",
    429: "Too Many Requests",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    503: "Service Unavailable",
}


def component(status: int) -> str:
    """The name under ``components/responses`` that describes refusals with this status."""
    return TITLES[status].replace(" ", "")
