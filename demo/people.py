"""The players, and their requests to the service."""

import json
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

from demo.errors import StepFailed

_SECONDS = 30.0
# Without the proxies of the environment, since requests go to this machine.
_open = build_opener(ProxyHandler({})).open


@dataclass
class Person:
    """A player with a name, an email address, a text for the draw, and after signing in an access token."""

    name: str
    email: str
    entropy: str
    token: str | None = None

    @property
    def letter(self) -> str:
        """The letter on this person's player disc."""
        return self.name[0]


@dataclass(frozen=True)
class Api:
    """The API at an address."""

    address: str

    def get(self, path: str, person: Person) -> Any:
        """Return the decoded body of a GET; raise StepFailed unless the status is 200."""
        return json.loads(self.read(path, person))

    def read(self, path: str, person: Person) -> bytes:
        """Return the raw body of a GET; raise StepFailed unless the status is 200."""
        return self._send("GET", path, person, None, 200)

    def send(self, method: str, path: str, body: Any, person: Person, expected: int) -> Any:
        """Send a request with a body and return the decoded response; raise StepFailed for an unexpected status."""
        return json.loads(self._send(method, path, person, body, expected))

    def _send(self, method: str, path: str, person: Person, body: Any, expected: int) -> bytes:
        headers = {"Accept": "application/json"}
        if person.token is not None:
            headers["Authorization"] = f"Bearer {person.token}"
        if body is not None:
            headers["Content-Type"] = "application/json"
        data = None if body is None else json.dumps(body).encode()
        request = Request(self.address + path, data=data, headers=headers, method=method)
        try:
            status, read = _exchange(request)
        except (HTTPException, OSError) as error:
            raise StepFailed(f"{method} {path}, sent by {person.name}, got no whole answer: {error!r}") from error
        if status != expected:
            told = read.decode(errors="replace")
            raise StepFailed(
                f"{method} {path}, sent by {person.name}, was answered {status}, not {expected}: {told:.600}"
            )
        return read


def _exchange(request: Request) -> tuple[int, bytes]:
    """Return the status and the body of a response, even of an error; raise HTTPException or OSError without one."""
    try:
        answer = _open(request, timeout=_SECONDS)
    except HTTPError as error:
        answer = error
    with answer:
        return int(answer.status), bytes(answer.read())
