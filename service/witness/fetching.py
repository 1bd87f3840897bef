"""Read a log over HTTP, within bounds of size and time: what it sends is not trusted."""

from __future__ import annotations

import http.client
import json
import re
import time
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

from service.bounded_http import SCHEMES, connection_to, pause_asked, reason, within
from service.checkpoints import notes, tiles
from service.hosts import check_host
from service.witness.errors import NotReached

TIMEOUT: Final = 20.0
"""The seconds that connecting and each wait for bytes may take."""

DEADLINE: Final = 60.0
"""The seconds that a whole answer may take."""

MOST_PAGES: Final = 10_000
"""The number of pages that a list of checkpoints may have."""

_LARGEST_JSON = 1024 * 1024
_PAUSES = 30
_PAGE = 100
_PATH = re.compile(r"(?P<base>.*?)/v1/checkpoints(?:/(?P<log>[1-9][0-9]{0,8}))?")


class Service:
    """A service and its logs of checkpoints.

    Args:
        url: its address, `https://nova.example`, or that of one log, `https://nova.example/v1/checkpoints/1`.
        pause: waits for some seconds, where the service asks for it.
    """

    def __init__(self, url: str, pause: Callable[[float], None] = time.sleep) -> None:
        parts = parts_of(url)
        path = parts.path.rstrip("/")
        named = _PATH.fullmatch(path)
        self.log = int(named["log"]) if named is not None and named["log"] is not None else None
        self._base = path if named is None else named["base"]
        self._parts = parts
        self._pause = pause
        self._pauses = 0
        self._connection: http.client.HTTPConnection | None = None

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def logs(self) -> list[dict[str, Any]]:
        """Return the description of each log."""
        found = self._json("/v1/checkpoints")
        logs = found.get("logs") if isinstance(found, dict) else None
        if not isinstance(logs, list) or not all(isinstance(each, dict) for each in logs):
            raise NotReached("/v1/checkpoints does not list logs")
        return logs

    def note(self, log: int) -> bytes:
        """Return the newest checkpoint of a log, or the beginning of it if it is too long to be one."""
        return self._get(f"/v1/checkpoints/{log}/checkpoint", notes.LARGEST + 1)

    def tile(self, log: int, level: int, number: int, width: int) -> bytes:
        """Return the hashes of a tile."""
        path = tiles.tile_path(level, number, width)
        return self._exactly(f"/v1/checkpoints/{log}/{path}", width * tiles.HASH_BYTES)

    def entries(self, log: int, number: int) -> list[bytes]:
        """Return the entries below a full tile of level 0."""
        path = f"/v1/checkpoints/{log}/{tiles.entries_path(number)}"
        try:
            return tiles.unpack_entries(self._exactly(path, len(tiles.pack_entries([bytes(64)] * tiles.WIDTH))))
        except ValueError as error:
            raise NotReached(f"{path}: {error}") from None

    def sizes(self, log: int, above: int) -> set[int]:
        """Return the sizes of the published checkpoints that are larger than `above`."""
        found: set[int] = set()
        lowest: int | None = None
        query = f"?limit={_PAGE}"
        for _ in range(MOST_PAGES):
            page = self._json(f"/v1/checkpoints/{log}/checkpoints{query}")
            items = page.get("items") if isinstance(page, dict) else None
            if not isinstance(items, list):
                raise NotReached("the list of checkpoints is not one")
            sizes = [each.get("size") if isinstance(each, dict) else None for each in items]
            for size in sizes:
                # Newest first: each size is smaller than the one before, so that there is an end to them.
                if type(size) is not int or size < 0 or (lowest is not None and size >= lowest):
                    raise NotReached("the list of checkpoints is not one of sizes, the largest first")
                lowest = size
                found.add(size)
            following = page.get("next") if isinstance(page, dict) else None
            if following is None or not sizes or (lowest is not None and lowest <= above):
                return {size for size in found if size > above}
            if not isinstance(following, str) or not re.fullmatch(r"[A-Za-z0-9_.~=-]{1,500}", following):
                raise NotReached("the list of checkpoints does not go on with a cursor")
            query = f"?limit={_PAGE}&cursor={following}"
        raise NotReached(f"the list of checkpoints has more than {MOST_PAGES} pages")

    def _json(self, path: str) -> Any:
        data = self._get(path, _LARGEST_JSON + 1)
        try:
            if len(data) > _LARGEST_JSON:
                raise ValueError
            return json.loads(data.decode())
        except (ValueError, RecursionError):
            raise NotReached(f"{path} is not JSON of a reasonable length") from None

    def _exactly(self, path: str, length: int) -> bytes:
        data = self._get(path, length + 1)
        if len(data) != length:
            raise NotReached(f"{path} does not have {length} bytes")
        return data

    def _get(self, path: str, most: int) -> bytes:
        """Return the first `most` bytes of a resource."""
        while True:
            fresh = self._connection is None
            try:
                status, pause, data = self._once(path, most)
            except (OSError, http.client.HTTPException, ValueError) as error:  # ValueError: no host has such a name
                self.close()
                if not fresh:
                    continue  # the service had closed the connection that was open since the last request
                raise NotReached(f"{path} can't be read: {reason(error)}") from None
            if status == 200:
                return data
            if pause is None or self._pauses == _PAUSES:
                raise NotReached(f"{path}: HTTP {status}")
            self._pauses += 1
            self._pause(pause)

    def _once(self, path: str, most: int) -> tuple[int, int | None, bytes]:
        """Send one request and return the status, the pause that is asked for, and the first bytes of the body."""
        if self._connection is None:
            self._connection = connection_to(self._parts, TIMEOUT)
        connection = self._connection
        with within(connection, DEADLINE):
            connection.request("GET", self._base + path, headers={"Accept": "*/*", "User-Agent": "novaluna witness"})
            response = connection.getresponse()
            data = response.read(most)
            if not response.isclosed() or response.will_close:
                self.close()  # there is more, which nobody wants, or the service is about to close it
            return response.status, pause_asked(response), data


def parts_of(url: str) -> SplitResult:
    """Return the parts of the address of a service; raise NotReached if it is not an address of a service."""
    wrong = NotReached("the address of a service begins with https:// or http://, and has no query")
    try:
        parts = urlsplit(url)
        wanted = parts.scheme in SCHEMES and parts.hostname and (parts.port is None or parts.port > 0)
        check_host(parts.hostname or "")
    except ValueError:
        raise wrong from None
    if not wanted or parts.query or parts.fragment or parts.username is not None or not url.isprintable() or " " in url:
        raise wrong
    if not (parts.path + (parts.hostname or "")).isascii():
        raise wrong
    return parts
