"""The log line of each request: its id, method, path, table's id, status and time; never its query, headers or body."""

from datetime import UTC, datetime
from random import getrandbits

from service.logs import encode, write


def new_id() -> str:
    """Return an id for a request, which its response and its log lines carry."""
    return f"{getrandbits(64):016x}"


def answered(request_id: str, method: str, path: str | None, status: int, seconds: float, game: str | None) -> None:
    """Log that a request was answered, and in how many seconds; `path` is None if it could say anything."""
    about = f', "game": {encode(game)}' if game else ""
    at = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    write(
        f'{{"logger": "service.http", "level": "info", "request": "{request_id}", "method": {encode(method)}, '
        f'"path": {encode(path)}, "status": {status}, "ms": {seconds * 1000:.1f}{about}, "event": "request", '
        f'"timestamp": "{at}"}}'
    )
