"""A response as a value, independent of the framework that sends it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from werkzeug.http import HTTP_STATUS_CODES

from service.api import clock_view, game_view
from service.api.requests import JSON
from service.queries.table import LoadedTable

if TYPE_CHECKING:
    from wsgiref.types import StartResponse

_STATUS_LINES = {status: f"{status} {name.upper()}" for status, name in HTTP_STATUS_CODES.items()}


class ApiResponse(NamedTuple):
    """A response; `body` is None if it has none, not even an empty one."""

    status: int
    body: bytes | None
    headers: Mapping[str, str]

    @property
    def status_line(self) -> str:
        """The status code with its name."""
        return _STATUS_LINES.get(self.status, f"{self.status} UNKNOWN")

    def header_list(self) -> list[tuple[str, str]]:
        """Return the headers as WSGI requires them, with the length of the body."""
        length = () if self.body is None else (("Content-Length", str(len(self.body))),)
        return [*self.headers.items(), *length]

    def send(self, start_response: StartResponse) -> Iterable[bytes]:
        """Send the response to a WSGI server, and return the body."""
        start_response(self.status_line, self.header_list())
        return () if self.body is None else (self.body,)


def not_modified(tag: str) -> ApiResponse:
    """Return the 304 to a GET whose ``If-None-Match`` matches this tag."""
    return ApiResponse(304, None, {"ETag": f'"{tag}"'})


def table_response(
    table: LoadedTable,
    seat: int | None,
    view: bytes,
    at: datetime | None,
    status: int = 200,
    *,
    location: str | None = None,
    tag: str | None = None,
    link: str | None = None,
) -> ApiResponse:
    """Return the response that shows a table to a reader.

    Args:
        table: the table.
        seat: the reader's seat, None for a reader without one.
        view: the JSON of the table without `clock` and `you`.
        at: the time of the request; None for a table that is shown as it was.
        status: the HTTP status.
        location: the URL of what was created, if anything was.
        tag: the tag of the state that `view` shows; without it, that of the table as it is.
        link: the value of the header ``Link``, if there is any.
    """
    headers = {"ETag": f'"{tag or table.tag}"', "Content-Type": JSON}
    if location is not None:
        headers["Location"] = location
    if link is not None:
        headers["Link"] = link
    return ApiResponse(status, game_view.for_reader(view, clock_view.render(table, seat, at), seat), headers)
