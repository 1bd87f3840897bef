"""Download the records of a service's games, one or all of a player, within bounds of size and time.

What a service sends is not trusted. A download that breaks off is resumed after the last game that came completely.
"""

from __future__ import annotations

import http.client
import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from io import BytesIO
from typing import Final, NamedTuple
from urllib.parse import quote

from engine.forms import LONGEST
from service.bounded_http import LONGEST_PAUSE, connection_to, pause_asked, reason, within
from service.line_files import end_of_download
from service.witness.errors import NotReached
from service.witness.fetching import parts_of

TIMEOUT: Final = 30.0
"""The seconds that connecting and each wait for bytes may take."""

DEADLINE: Final = 900.0
"""The seconds that one response may take; the service itself ends a download after ten minutes, to be resumed."""

TRIES: Final = 5
"""How often in a row a download may break off without a further record."""

_ID = re.compile(r"[A-Za-z0-9]{1,64}")
_TOKEN = re.compile(r"[\x21-\x7e]{1,1000}")
_NEXT = re.compile(r'[?&]cursor=([A-Za-z0-9_.~%-]{1,1000})(?:&[^>,]*)?>; *rel="next"')
_LONGEST_LINK = 4000
_EXPLORATIONS = "/v1/me/explorations.ndjson"
_HERE = ("localhost", "127.0.0.1", "::1")


class Downloaded(NamedTuple):
    """One line of a download, with its line feed unless it was cut.

    Attributes:
        line: the line.
        game: the id of the game, or of the exploration, that it says it is the record of.
        explores: whether an exploration was asked for, and no game.
    """

    line: bytes
    game: str | None
    explores: bool = False


class ServiceRecords:
    """The records of a service.

    Args:
        url: the address of the service.
        token: an access token; None for none.
        pause: waits for some seconds.

    Attributes:
        unreadable: how many games the service has left out because their data are damaged.
    """

    def __init__(self, url: str, token: str | None, pause: Callable[[float], None] = time.sleep) -> None:
        self._parts = parts_of(url)
        if token is not None and not _TOKEN.fullmatch(token):
            raise NotReached("an access token has only visible ASCII characters")
        if token is not None and self._parts.scheme == "http" and self._parts.hostname not in _HERE:
            raise NotReached("an access token is sent by https:// alone, as others could read it")
        self._headers = {"User-Agent": "novaluna audit", "Accept-Encoding": "identity"}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"
        self._pause = pause
        self._reached = False  # what was never there is not waited for
        self.unreadable = 0

    def of_game(self, game: str) -> Iterator[Downloaded]:
        """Yield the record of one game or solo.

        Raises:
            NotReached: it cannot be downloaded.
        """
        path = f"/v1/games/{quote(game, safe='')}/record"
        yield from self._one(path, f"/v1/solo-sessions/{quote(game, safe='')}/record")

    def of_player(self, player: str | None, after: str | None = None) -> Iterator[Downloaded]:
        """Yield the records of the games of a player, or (None) of the one whose access token it is.

        `after` is the id of the game after which to begin.

        Raises:
            NotReached: the download cannot be brought to its end.
        """
        path = "/v1/me/games.ndjson" if player is None else f"/v1/players/{quote(player, safe='')}/games.ndjson"
        passed, failed = 0, 0  # records after the game `after`, which need not be yielded again
        while True:
            before = after, passed
            seen = 0
            try:
                for each in self._lines(path if after is None else f"{path}?after={quote(after, safe='')}"):
                    if each is None:
                        return
                    seen += 1
                    if seen <= passed:
                        continue
                    yield each
                    passed += 1
                    if each.game is not None and each.line.endswith(b"\n"):
                        after, passed, seen = each.game, 0, 0
                why = "the download ended before its last line"
            except (OSError, http.client.HTTPException) as error:
                why = reason(error)
            failed = failed + 1 if (after, passed) == before else 1
            if failed > TRIES:
                raise NotReached(f"{path}: {why}")
            self._pause(min(2.0 ** (failed - 1), LONGEST_PAUSE))

    def of_exploration(self, exploration: str) -> Iterator[Downloaded]:
        """Yield the record of one exploration of the one whose access token it is.

        Raises:
            NotReached: it cannot be downloaded.
        """
        for each in self._one(f"/v1/explorations/{quote(exploration, safe='')}/record"):
            yield each._replace(explores=True)

    def explorations(self) -> Iterator[Downloaded]:
        """Yield the records of all explorations of the one whose access token it is.

        Raises:
            NotReached: they cannot all be downloaded.
        """
        path, seen, failed = _EXPLORATIONS, set[str](), 0
        while True:
            try:
                lines, onward = self._page(path)
            except (OSError, http.client.HTTPException) as error:
                failed += 1
                if failed == TRIES:
                    raise NotReached(f"{path}: {reason(error)}") from None
                self._pause(2.0 ** (failed - 1))
                continue
            failed = 0
            for line in lines:
                yield Downloaded(line, game_of(line), explores=True)
            if onward is None:
                return
            if onward in seen:
                raise NotReached(f"{path}: the service names a page again that was read before")
            seen.add(onward)
            path = f"{_EXPLORATIONS}?cursor={onward}"

    def _page(self, path: str) -> tuple[list[bytes], str | None]:
        """Return the lines of one page, and the cursor of the next one."""
        with self._response(path) as response:
            if response.status == 404:
                return [], None  # the service is of a release before explorations
            content = _read(_found(path, response))
            if len(content) == LONGEST:
                raise NotReached(f"{path}: this page is longer than {LONGEST} bytes")
            found = _NEXT.search(response.headers.get("Link", "")[:_LONGEST_LINK])
            return BytesIO(content).readlines(), None if found is None else found[1]

    def _one(self, *paths: str) -> Iterator[Downloaded]:
        """Yield the one line of the first of some resources that exists."""
        failed = 0
        while True:
            try:
                for path in paths:
                    with self._response(path) as response:
                        if response.status == 404 and path != paths[-1]:
                            continue
                        asked = " or ".join(paths) if response.status == 404 else path
                        line = _read(_found(asked, response))
                    # One that is longer than a record can be lacks its end, as in a file.
                    yield Downloaded(line if len(line) < LONGEST else line.removesuffix(b"\n"), game_of(line))
                    return
            except (OSError, http.client.HTTPException) as error:
                failed += 1
                if failed == TRIES:
                    raise NotReached(f"{path}: {reason(error)}") from None
                self._pause(2.0 ** (failed - 1))

    def _lines(self, path: str) -> Iterator[Downloaded | None]:
        """Yield the lines of one response; None for the last one, which says that it is complete."""
        number = 0
        with self._response(path) as response:
            _found(path, response)
            while line := response.readline(LONGEST):
                told = end_of_download(line)
                if told is not None:
                    if told.records != number:
                        raise NotReached(f"{path}: its last line tells of {told.records} records, and {number} came")
                    self.unreadable += told.unreadable
                    yield None
                    return
                if not line.endswith(b"\n") and len(line) < LONGEST:
                    return  # it broke off within a line, which will come again
                number += 1
                yield Downloaded(line, game_of(line))
                while line and not line.endswith(b"\n"):
                    line = response.readline(LONGEST)

    @contextmanager
    def _response(self, path: str) -> Iterator[http.client.HTTPResponse]:
        """Yield the response to a GET, after waiting where the service asks for it."""
        for attempt in range(1, TRIES + 1):
            try:
                connection = connection_to(self._parts, TIMEOUT)
            except OSError as error:
                if self._reached:
                    raise
                raise NotReached(f"{self._parts.netloc} can't be reached: {reason(error)}") from None
            self._reached = True
            with closing(connection), within(connection, DEADLINE):
                connection.request("GET", self._parts.path.rstrip("/") + path, headers=self._headers)
                response = connection.getresponse()
                pause = pause_asked(response)
                if pause is None or attempt == TRIES:
                    yield response
                    return
            self._pause(pause)


def _found(path: str, response: http.client.HTTPResponse) -> http.client.HTTPResponse:
    if response.status != 200:
        raise NotReached(f"{path}: HTTP {response.status}")
    return response


def _read(response: http.client.HTTPResponse) -> bytes:
    """Return the body of a response, or the beginning of one that is too long; raise IncompleteRead if it broke off."""
    content = response.read(LONGEST)
    if len(content) < LONGEST and response.length:
        raise http.client.IncompleteRead(content, response.length)
    return content


def game_of(line: bytes) -> str | None:
    """Return the id of the game that a line says it is the record of, or None if it says none."""
    try:
        game = json.loads(line)["game"]["id"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    return game if isinstance(game, str) and _ID.fullmatch(game) else None
