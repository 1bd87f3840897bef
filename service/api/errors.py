"""The table that maps refusals to HTTP, and every error of the API as ``application/problem+json`` (RFC 9457).

A problem has ``type`` (the address of the explanation of its code), ``title`` (of the status), ``status``, ``detail``
(what is wrong and how to correct it), a stable ``code``, and additional members that depend on the code. ``title`` and
``detail`` are in the language that the request prefers.
"""

import json
from collections.abc import Sequence
from typing import Any

import psycopg
import structlog
from gunicorn.http.errors import ParseException
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from engine.errors import UnknownRules
from engine.phrases import Phrase
from service import errors, metrics
from service.api import rate_limit_headers, wording
from service.api.problem_codes import PAGE
from service.api.responses import ApiResponse
from service.api.statuses import TITLES
from service.language.languages import ENGLISH, Language
from service.store import broken_transactions

MEDIA_TYPE = "application/problem+json"

STATUS_OF: dict[type[errors.Refusal], int] = {
    errors.Unreadable: 400,
    errors.Unauthorized: 401,
    errors.Forbidden: 403,
    errors.NotFound: 404,
    errors.NotAcceptable: 406,
    errors.Conflict: 409,
    errors.Gone: 410,
    errors.StalePrecondition: 412,
    errors.WrongMediaType: 415,
    errors.WrongContentEncoding: 415,
    errors.Malformed: 422,
    errors.IllegalMoveRefused: 422,
    errors.PreconditionRequired: 428,
    errors.LimitReached: 429,
    errors.Unavailable: 503,
}
"""The HTTP status of each kind of refusal. A test checks that no kind is missing."""

# The code and detail of refusals that the HTTP layer makes before a view runs, by status.
_OF_HTTP = {
    400: ("bad_request", Phrase("The request cannot be read.")),
    404: ("not_found", Phrase("There is nothing at this address.")),
    405: ("method_not_allowed", Phrase("This address does not support this method; see the Allow header.")),
    408: ("request_timeout", Phrase("The request was not complete in time.")),
    413: ("body_too_large", Phrase("The body must not be larger than 64 KiB.")),
    414: ("uri_too_long", Phrase("The address with its query is longer than this service accepts.")),
    415: ("unsupported_media_type", Phrase("Send the body with Content-Type: application/json.")),
    431: ("headers_too_large", Phrase("There are more headers, or longer ones, than this service accepts.")),
    500: ("internal_error", Phrase("Something went wrong on our side. The error was logged; please try again later.")),
}

_ERROR = Phrase("Error")

_log = structlog.get_logger(__name__)

OVERLOADED = errors.Unavailable("overloaded", "The service is overloaded; try again in a moment.")
"""The refusal of a request that would have to wait too long."""

# SQLSTATEs that psycopg does not class as operational errors although they are: the server is a replica, or is being
# switched over, and time-outs of an open transaction.
_AWAY = {"25006", "25P03", "25P04"}

_DATABASE_AWAY = errors.Unavailable(
    "database_unavailable", "The database is unavailable, busy or full; try again in a moment."
)


def problem(
    status: int,
    code: str,
    detail: Phrase,
    members: dict[str, Any] | None = None,
    headers: dict[str, str] | None = None,
    wrong: Sequence[errors.Wrong] = (),
    *,
    language: Language | None = None,
) -> ApiResponse:
    """Return a problem+json response.

    Args:
        status: its HTTP status.
        code: its stable code.
        detail: what is wrong, and how to correct it.
        members: additional members.
        headers: additional headers.
        wrong: the wrong fields; they become its ``errors``.
        language: its language; None is for English whatever the client prefers.
    """
    speaking = language or ENGLISH
    body = {
        "type": f"{PAGE}#{code}",
        "title": speaking.say(TITLES.get(status, _ERROR)),
        "status": status,
        "code": code,
        "detail": wording.worded(detail, speaking),
        **(members or {}),
    }
    if wrong:
        body["errors"] = [
            {"in": each.place, "field": each.field, "detail": wording.worded(each.right, speaking)} for each in wrong
        ]
    told = {"Content-Type": MEDIA_TYPE, **(headers or {}), "Content-Language": speaking.code}
    if language is not None:
        told["Vary"] = "Accept-Language"
    return ApiResponse(status, json.dumps(body).encode(), told)


TOLD: tuple[type[Exception], ...] = (
    errors.Refusal,
    HTTPException,
    ParseException,
    UnknownRules,
    DBAPIError,
    psycopg.Error,
    PoolTimeout,
)
"""The kinds of errors that `response_to` tells to the client, whoever raises them."""


def response_to(error: Exception, language: Language) -> ApiResponse | None:
    """Return the response that reports an error to the client; kinds other than `TOLD` are not reported.

    None is for an internal error: the caller logs it and answers with `of_status(500)`, which tells nothing of it.
    """
    if isinstance(error, errors.Refusal):
        return of_refusal(error, language)
    if isinstance(error, HTTPException):
        return of_http(error, language)
    if isinstance(error, ParseException):  # raised by gunicorn while the body is read
        return of_status(400, language)
    if isinstance(error, UnknownRules):  # the game was started by a newer release than this one
        return of_refusal(errors.Unavailable("unknown_rules", error.phrase), language)
    if isinstance(error, DBAPIError | psycopg.Error | PoolTimeout):
        return _of_database(error, language)
    return None


def of_refusal(refusal: errors.Refusal, language: Language | None = None) -> ApiResponse:
    """Return the response to a refusal."""
    headers = {}
    if isinstance(refusal, errors.Unauthorized):
        headers["WWW-Authenticate"] = 'Bearer realm="nova-luna"'
    elif isinstance(refusal, errors.LimitReached):
        headers["Retry-After"] = str(refusal.retry_after)
        if refusal.policy is not None:
            headers |= rate_limit_headers.of_limit(refusal.policy, 0, refusal.retry_after)
    elif isinstance(refusal, errors.WrongContentEncoding):
        headers["Accept-Encoding"] = "identity"  # RFC 9110, 15.5.16
    elif isinstance(refusal, errors.Unavailable):
        headers["Retry-After"] = "2"
    wrong = refusal.wrong if isinstance(refusal, errors.Malformed) else ()
    status = STATUS_OF[type(refusal)]
    return problem(status, refusal.code, refusal.phrase, refusal.members, headers, wrong, language=language)


def of_status(status: int, language: Language | None = None) -> ApiResponse:
    """Return the response to a refusal of the HTTP layer by its status."""
    return problem(status, *_OF_HTTP[status], language=language)


def of_http(error: HTTPException, language: Language) -> ApiResponse:
    """Return the response to an HTTP exception. Redirects of the router never come here; Flask answers them itself."""
    status = error.code or 500
    title = TITLES.get(status, _ERROR)
    code, detail = _OF_HTTP.get(status, ("bad_request", title))
    headers = {}
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        headers["Allow"] = ", ".join(sorted(error.valid_methods))
    return problem(status, code, detail, headers=headers, language=language)


def _of_database(error: Exception, language: Language) -> ApiResponse | None:
    """Return 503 if the database is unavailable, slow, full or busy; None for an error in a statement."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(cause, psycopg.Error) and not _is_of_operation(cause):
        return None
    broken = broken_transactions.is_broken(error)
    _log.warning("transaction broken off too often" if broken else "database unavailable", exc_info=error)
    metrics.database_error(cause.sqlstate if isinstance(cause, psycopg.Error) else None)
    return of_refusal(_DATABASE_AWAY, language)


def _is_of_operation(error: psycopg.Error) -> bool:
    return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError) or error.sqlstate in _AWAY
