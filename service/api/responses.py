"""A response as a value: what answers a request gives, without knowing what framework sends it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from werkzeug.http import HTTP_STATUS_CODES

from service.api import game_view
from service.api.requests import JSON
from service.queries.table import LoadedTable

if TYPE_CHECKING:
    from wsgiref.types import StartResponse

_STATUS_LINES = {status: f"{status} {name.upper()}" for status, name in HTTP_STATUS_CODES.items()}


class ApiResponse(NamedTuple):
    """A response; `body` is None where there is none, not even an empty one."""

    status: int
    body: bytes | None
    headers: Mapping[str, str]

    @property
    def status_line(self) -> str:
        """The status with its name."""
        return _STATUS_LINES.get(self.status, f"{self.status} UNKNOWN")

    def header_list(self) -> list[tuple[str, str]]:
        """Return the headers as WSGI wants them, the length of the body among them."""
        length = () if self.body is None else (("Content-Length", str(len(self.body))),)
        return [*self.headers.items(), *length]

    def send(self, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a WSGI request with this."""
        start_response(self.status_line, self.header_list())
        return () if self.body is None else (self.body,)


def not_modified(tag: str) -> ApiResponse:
    """Return the response to a GET whose condition names this tag: what the client has still holds."""
    return ApiResponse(304, None, {"ETag": f'"{tag}"'})


def table_response(
    table: LoadedTable,
    account: str | None,
    view: bytes,
    status: int = 200,
    *,
    location: str | None = None,
    tag: str | None = None,
) -> ApiResponse:
    """Return the response that shows a table to an account; `view` is the table without `you`, and `tag` that of the state
    that it shows, if that is a past one."""
    headers = {"ETag": f'"{tag or table.tag}"', "Content-Type": JSON}
    if location is not None:
        headers["Location"] = location
    return ApiResponse(status, game_view.with_you(view, table.seat_of(account)), headers)
