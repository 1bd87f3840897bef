"""A client of the API over real connections: people with tokens, their games, and requests that are repeated."""

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import Any
from uuid import uuid4

import httpx

from engine.moves import RESIGN, Move, from_json, to_json
from tests.support.running import eventually

PATIENCE = 90.0
"""Seconds within which a service that was killed must respond again."""

AGAIN = 0.1
"""Seconds after which a request is repeated: less than Retry-After asks for, because time is short."""

PROBLEM = {"type", "title", "status", "code", "detail"}
"""The members that each error response must have."""


TEMPORARY = {"database_unavailable", "overloaded", "not_ready", "pictures_busy", "no_picture"}
"""The codes of 503."""


class UnexpectedAnswerError(AssertionError):
    """A request was answered otherwise than a service that loses nothing answers it."""


@dataclass(frozen=True)
class Player:
    """A person who has signed in."""

    account: str
    email: str
    token: str


@dataclass(frozen=True)
class Sent:
    """A move that was acknowledged with 201: the request, and the response."""

    path: str
    who: Player
    body: Any
    key: str
    answer: httpx.Response


class Api:
    """The API at one address or at several, which take turns, for requests and for their repetitions.

    It can be used by any number of threads.

    Attributes:
        statuses: how often each status came, and each error in place of a response.
        longest: the longest response time in seconds, whatever the response was.
        accepted: when each response with 201 came, by the monotonic clock.
    """

    def __init__(self, *addresses: str) -> None:
        self.statuses: Counter[int | str] = Counter()
        self.longest = 0.0
        self.accepted: list[float] = []
        self.addresses = addresses
        self._turns = count()
        self._http = httpx.Client(timeout=PATIENCE, trust_env=False, limits=httpx.Limits(max_connections=None))

    def send(
        self,
        method: str,
        path: str,
        who: Player | None = None,
        body: Any = None,
        *,
        address: str | None = None,
        **headers: str,
    ) -> httpx.Response:
        """Send a request once, to the next address or to the given one, and check the form of an error response.

        Names of headers are given with _ for -.

        Raises:
            httpx.TransportError: there was no response.
        """
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if who is not None:
            sent["Authorization"] = f"Bearer {who.token}"
        address = address or self.addresses[next(self._turns) % len(self.addresses)]
        begun = time.monotonic()
        try:
            answer = self._http.request(method, address + path, json=body, headers=sent)
        except httpx.TransportError as error:
            self.statuses[type(error).__name__] += 1
            raise
        finally:
            self.longest = max(self.longest, time.monotonic() - begun)
        self.statuses[answer.status_code] += 1
        if answer.status_code == 201:
            self.accepted.append(time.monotonic())
        if answer.is_error:
            _check_problem(answer)
        return answer

    def get(self, path: str, who: Player | None = None) -> httpx.Response:
        """Return the response to a GET, which must have the status 200."""
        return self.insist("GET", path, who, expected=200)

    def post(self, path: str, who: Player, body: Any = None, key: str | None = None) -> httpx.Response:
        """Return the response to a POST with a new or the given key, which must have the status 201."""
        return self.insist("POST", path, who, body, expected=201, Idempotency_Key=key or str(uuid4()))

    def insist(
        self, method: str, path: str, who: Player | None, body: Any = None, *, expected: int, **headers: str
    ) -> httpx.Response:
        """Repeat a request until it is answered (see `answer`); fail if the status is not the expected one."""
        answer = self.answer(method, path, who, body, **headers)
        if answer.status_code != expected:
            raise UnexpectedAnswerError(f"{method} {path}: {answer.status_code} {answer.text}")
        return answer

    def answer(self, method: str, path: str, who: Player | None, body: Any = None, **headers: str) -> httpx.Response:
        """Repeat a request, with the same headers, until it is answered with another status than 503."""
        answers: list[httpx.Response] = []

        def is_answered() -> bool:
            try:
                answer = self.send(method, path, who, body, **headers)
            except httpx.TransportError:
                return False
            if answer.status_code == 503:
                return False
            answers.append(answer)
            return True

        eventually(is_answered, PATIENCE, every=AGAIN)
        return answers[-1]

    def close(self) -> None:
        """Close all connections."""
        self._http.close()


@dataclass
class Game:
    """A started game or solo session, as its players know it.

    Attributes:
        path: its path.
        players: the players by seat.
        acknowledged: the moves that were acknowledged with 201, by version: seat and move.
        last: the last of them.
        is_over: whether no move was legal any more.
    """

    api: Api
    path: str
    players: tuple[Player, ...]
    acknowledged: dict[int, tuple[int, Move]] = field(default_factory=dict)
    last: Sent | None = None
    is_over: bool = False

    @property
    def id(self) -> str:
        return self.path.rpartition("/")[2]

    def get(self, suffix: str = "", who: Player | None = None) -> httpx.Response:
        """Return the response to the first player, or to another one."""
        return self.api.get(self.path + suffix, who or self.players[0])

    def move(self, chance: Random, resigning: float = 0.0) -> bool:
        """Make a random legal move or, with this probability, resign; return False when the game is over."""
        legal = self.get("/legal-moves").json()
        if legal["seat"] is None:
            self.is_over = True
            return False
        seat = legal["seat"]
        move = _choose(legal, chance)
        if chance.random() < resigning:
            there = [player["seat"] for player in self.get().json()["players"] if not player["left"]]
            seat, move = chance.choice(there), RESIGN
        self.send(seat, move, legal["version"])
        return True

    def send(self, seat: int, move: Move, version: int) -> None:
        """Make a move at a version of the game, and note that it was acknowledged."""
        body = {**to_json(move), "expected_version": version}
        path, who, key = f"{self.path}/moves", self.players[seat], str(uuid4())
        answer = self.api.post(path, who, body, key)
        self.note(answer, seat, move)
        self.last = Sent(path, who, body, key, answer)

    def note(self, answer: httpx.Response, seat: int, move: Move) -> None:
        """Note that a move was acknowledged by this response, which shows the game after it."""
        version = answer.json()["version"]
        if version != max(self.acknowledged, default=0) + 1:
            raise UnexpectedAnswerError(f"{self.path}: version {version} after {max(self.acknowledged, default=0)}")
        self.acknowledged[version] = seat, move

    def log(self) -> dict[int, tuple[int, Move]]:
        """Return all moves by version, each with its seat, read page by page."""
        entries: list[Any] = []
        page = self.get("/moves?limit=50").json()
        while True:
            entries += page["items"]
            if page["next"] is None:
                return {entry["seq"]: (entry["seat"], from_json(entry["move"])) for entry in entries}
            page = self.get(f"/moves?limit=50&cursor={page['next']}").json()


def start(api: Api, players: Iterable[Player], discs: int | str = "full") -> Game:
    """Start a match of these players, or a solo session of a single one."""
    maker, *guests = players
    if not guests:
        path = f"/v1/solo-sessions/{api.post('/v1/solo-sessions', maker).json()['id']}"
        api.insist("POST", f"{path}/start", maker, expected=200, Idempotency_Key=str(uuid4()))
        return Game(api, path, (maker,))
    made = api.post("/v1/games", maker, {"seats": 1 + len(guests), "discs": discs})
    path = f"/v1/games/{made.json()['id']}"
    for guest in guests:
        api.post(f"{path}/players", guest)
    return Game(api, path, (maker, *guests))


def _check_problem(answer: httpx.Response) -> None:
    """Check that an error is a problem (RFC 9457), and that a temporary one says when to retry."""
    assert answer.headers["Content-Type"] == "application/problem+json", answer.text
    said = answer.json()
    assert said.keys() >= PROBLEM, said
    assert said["status"] == answer.status_code, said
    if answer.status_code == 503:
        assert said["code"] in TEMPORARY, said
        assert int(answer.headers["Retry-After"]) > 0, said


def _choose(legal: Any, chance: Random) -> Move:
    """Return a random legal move; each placement, and a refill, are equally likely."""
    count = len(legal["tiles"]) * len(legal["cells"])
    if not count or (legal["refill"] and chance.random() < 0.5):
        return from_json({"type": "refill"})
    cell = chance.choice(legal["cells"])
    return from_json({"type": "place", "tile": chance.choice(legal["tiles"]), "x": cell["x"], "y": cell["y"]})
