"""Compare a stream of all records of a player with reading them one by one, and a long stream with a short one.

The first is in wall time for a record, the second in the memory of the web processes.
"""

import json
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

from bench import copied, served
from bench.rounds import ROUNDS, Finding, Goal, costs, in_turn
from bench.seed import Player
from bench.spent import family

GAMES, MOVES = 8_000, 40
"""The number of games, a quarter of which are the player's, and the average number of entries of each."""

SINGLE, SHORT = 600, 150
"""The number of records that are read one by one in each turn, and those of a short stream, about."""

_PIECE = 1 << 16


def measure(rounds: int = ROUNDS) -> Iterator[Finding]:
    """Measure the service's own web server, with two processes."""
    with served.database({"max_wal_size": "2GB"}) as database:
        made = copied.fill(database.url, GAMES, GAMES * MOVES)
        with served.gunicorn("service.wsgi:app", "gevent", database) as web:
            site = _Site(web.port, made.regular)
            games = site.newest()
            site.stream()
            taken = in_turn(site.stream, lambda: site.single(games), rounds)
            yield costs("a record of a stream: of a GET for each", Goal(0.5, at_most=True), taken)
            before = _memory(web.pid)
            few = [site.stream(after=games[SHORT]) and _memory(web.pid) for _ in range(rounds)]
            many = [site.stream() and _memory(web.pid) for _ in range(rounds)]
            ratios = tuple(long / short for long, short in zip(many, few, strict=True))
            name = f"memory after streams of {site.records:,} records: of {SHORT}"
            told = f"{many[-1] / 1e6:.1f} MB", f"{few[-1] / 1e6:.1f} MB, {before / 1e6:.1f} MB before"
            yield Finding(name, Goal(1.05, at_most=True), ratios, *told)


class _Site:
    """The web server as a client reads it, over one connection at a time.

    Attributes:
        records: how many records the last stream had.
    """

    def __init__(self, port: int, player: Player) -> None:
        self._port = port
        self._headers = {"Authorization": f"Bearer {player.token}"}
        self.records = 0

    def newest(self) -> list[str]:
        """Return the ids of the player's newest finished games, the newest first."""
        found: list[str] = []
        cursor = ""
        while len(found) < SINGLE:
            connection = HTTPConnection("127.0.0.1", self._port, timeout=60)
            connection.request("GET", f"/v1/games?mine=true&status=finished&limit=100{cursor}", headers=self._headers)
            page = json.load(connection.getresponse())
            connection.close()
            found += [item["id"] for item in page["items"]]
            cursor = f"&cursor={page['next']}"
        return found[:SINGLE]

    def stream(self, after: str | None = None) -> float:
        """Read a stream to its end, and return the seconds for each record."""
        connection = HTTPConnection("127.0.0.1", self._port, timeout=60)
        begun = time.perf_counter()
        connection.request("GET", "/v1/me/games.ndjson" + (f"?after={after}" if after else ""), headers=self._headers)
        response = connection.getresponse()
        lines, last = 0, b""
        while piece := response.read(_PIECE):
            lines += piece.count(b"\n")
            last = piece
        connection.close()
        assert response.status == 200 and b'"complete":true' in last[-200:], last[-200:]
        self.records = lines - 1
        return (time.perf_counter() - begun) / self.records

    def single(self, games: list[str]) -> float:
        """Read the records of games one by one, and return the seconds for each."""
        connection = HTTPConnection("127.0.0.1", self._port, timeout=60)
        begun = time.perf_counter()
        for game in games:
            connection.request("GET", f"/v1/games/{game}/record", headers=self._headers)
            response = connection.getresponse()
            response.read()
            assert response.status == 200
        connection.close()
        return (time.perf_counter() - begun) / len(games)


def _memory(pid: int) -> int:
    """Return the highest resident size that the processes of a server have had, in bytes, all together."""
    peaks = []
    for member in family(pid):
        status = Path(f"/proc/{member}/status").read_text()
        peaks.append(next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")))
    return sum(peaks) * 1024
